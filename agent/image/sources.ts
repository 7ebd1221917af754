/**
 * Tries the URLs of an image in order until one delivers it. A file that changes during the transfer is downloaded
 * again from its first byte.
 */
import { DownloadError, SourceChanged } from './download-error.ts';

const RESTARTS = 3;

/** `attempt` transfers the whole image from one URL. Errors other than DownloadError are final. */
export async function fromSources<T>(
  urls: readonly string[],
  note: (text: string) => void,
  attempt: (url: string) => Promise<T>,
): Promise<T> {
  const failures: DownloadError[] = [];
  for (const url of urls) {
    for (let restarts = 0; ; restarts += 1) {
      try {
        return await attempt(url);
      } catch (error) {
        if (!(error instanceof DownloadError)) throw error;
        if (error instanceof SourceChanged && restarts < RESTARTS) {
          note(`${error.message}; beginning again from its first byte`);
          continue;
        }
        failures.push(error);
        if (failures.length < urls.length) note(`${error.message}; trying the next of image_info.urls`);
        break;
      }
    }
  }
  throw new DownloadError(
    `no source of the image (image_info.urls) delivered it: ${failures.map(({ message }) => message).join('; ')}`,
    { cause: failures.at(-1) },
  );
}

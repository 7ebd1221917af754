// Starts Swagger UI on the OpenAPI document beside this page.

/* global SwaggerUIBundle */
SwaggerUIBundle({
  url: new URL('openapi.json', document.baseURI).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  // x-since, x-policy and x-max-bytes
  showExtensions: true,
  // Requests may be tried out as long as they change nothing.
  supportedSubmitMethods: ['get'],
  // No other host is asked whether the document is valid.
  validatorUrl: null,
});

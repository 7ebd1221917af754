/**
 * Why the data of an inspection was refused, in driver_internal_info of the node. The next step of the inspection fails
 * with it; data that is accepted removes it.
 */
export const INSPECTION_PROBLEM = 'inspection_problem';

/** Operations wait for the worker. */
export const DUE_TOPIC = 'commerce.bulks'

/** Something is to be sent; workers look at once instead of at their next turn. */
export const DUE_TOPIC = 'webhooks.due'
/** A subscription was changed, by its id: what a worker read of it is old. */
export const CHANGED_TOPIC = 'webhooks.changed'
/** A test or manual attempt is over, by the id of its delivery. */
export const DONE_TOPIC = 'webhooks.done'
/** There is housekeeping to do: probes, replays, releases, mails. */
export const HOUSEKEEPING_TOPIC = 'webhooks.housekeeping'
/** What a worker thread counted since it last told, for the metrics of its process. */
export const COUNTED_TOPIC = 'process:webhooks.counted'

/** Notices between the threads and nodes that work on runs. Each may be lost: nobody depends on one. */

/** A run is waiting, or one that runs is to look at its row again (stop, rate). */
export const WORK_TOPIC = 'scrapers.work'
/** A run has ended, or has done something that viewers of its progress want to see. */
export const PROGRESS_TOPIC = 'scrapers.progress'

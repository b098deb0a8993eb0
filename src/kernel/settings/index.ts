// Settings that change while the server runs.
export type { Areas } from './areas.ts'
export { createSettingsFollower } from './follower.ts'
export { createSettings, type DescribedSetting } from './settings.ts'

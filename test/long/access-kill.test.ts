import { killedUsage } from '../contract/access/kill.ts'

killedUsage(5_000)

import { killedUsage } from './kill.ts'

killedUsage(1_500)

import { testKills } from './kill/suite.ts'

testKills('postgres', 12)

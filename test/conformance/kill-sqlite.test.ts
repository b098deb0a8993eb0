import { testKills } from './kill/suite.ts'

testKills('sqlite', 12)

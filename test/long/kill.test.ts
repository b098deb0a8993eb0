import { testKills } from '../conformance/kill/suite.ts'

testKills('sqlite', 50)
testKills('postgres', 50)

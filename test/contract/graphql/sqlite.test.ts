import { graphqlSuites } from './suites.ts'

graphqlSuites('sqlite')

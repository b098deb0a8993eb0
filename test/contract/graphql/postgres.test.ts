import { graphqlSuites } from './suites.ts'

graphqlSuites('postgres')

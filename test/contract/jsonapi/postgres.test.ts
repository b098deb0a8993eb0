import { jsonApiSuites } from './suites.ts'

jsonApiSuites('postgres')

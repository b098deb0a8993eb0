import { scraperSuites } from './suites.ts'

scraperSuites('sqlite')

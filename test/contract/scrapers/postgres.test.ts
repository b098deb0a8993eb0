import { scraperSuites } from './suites.ts'

scraperSuites('postgres')

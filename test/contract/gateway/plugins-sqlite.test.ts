import { pluginSuites } from './suites.ts'

pluginSuites('sqlite')

import { pluginSuites } from './suites.ts'

pluginSuites('postgres')

// TypeScript as a library, which it is no longer by itself from version 7 on. This package carries an
// older one inside, without a program `tsc` that would take the place of ours.
import common from '@ts-morph/common'

export default common.ts

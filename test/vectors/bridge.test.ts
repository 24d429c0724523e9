import t from 'tap'
import { testChangedDigit } from './changedDigit.ts'
import { BRIDGE } from './kinds.ts'
import { testRecorded } from './recordedTests.ts'

// The vectors of the Bridge: cargo builds the program that runs them.
testRecorded(t, (kind) => kind === BRIDGE)
testChangedDigit(t, BRIDGE)

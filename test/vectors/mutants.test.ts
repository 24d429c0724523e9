import t from 'tap'
import { testChangedDigit } from './changedDigit.ts'
import { BLOCK_MUTANTS } from './kinds.ts'
import { testRecorded } from './recordedTests.ts'

testRecorded(t, (kind) => kind === BLOCK_MUTANTS)
testChangedDigit(t, BLOCK_MUTANTS)

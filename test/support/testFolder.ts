import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A new folder that goes with the test: `testdir` empties what it gave before when it is called again. */
export function testFolder(t: Test): string {
  return mkdtempSync(join(existsSync(t.testdirName) ? t.testdirName : t.testdir(), 'folder-'))
}

// Runs README's first command on clean Debian systems under several Node.js versions, and prints a table of what
// came of it: npm run --silent ci:clean -- [--full | --short] [--system SUITE]...
// --full runs README's command for the tests on each system, too, which takes as long as the tests do. --short runs one system that
// answers and one that is refused.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machineSettings, output } from './machine.ts'
import { readmeCommands } from './readme.ts'
import { CleanSystems } from './run.ts'
import { CELLS, SHORT_CELLS } from './systems.ts'
import { table } from './table.ts'
import { rustMount } from './toolchain.ts'

const print = (line: string) => process.stdout.write(`${line}\n`)
const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      full: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      system: { type: 'string', multiple: true },
    },
  })
  const cells = values.short ? SHORT_CELLS : CELLS
  const commit = output('git', ['rev-parse', 'HEAD'], CHECKOUT)
  const gitFolder = output('git', ['rev-parse', '--git-common-dir'], CHECKOUT)
  if (commit === null || gitFolder === null) throw new Error('this checkout is no git repository')
  const machine = machineSettings()
  const source = { from: resolve(CHECKOUT, gitFolder), to: '/source.git', mode: 'ro' } as const
  const scratch = mkdtempSync(join(tmpdir(), 'rhizome-clean-'))
  const systems = new CleanSystems({
    scratch,
    commit,
    commands: readmeCommands(readFileSync(join(CHECKOUT, 'README.md'), 'utf8')),
    settings: { ...machine, mounts: [...machine.mounts, rustMount(), source] },
    cells,
    print,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void systems.remove().then(() => process.exit(1)))
  }
  try {
    systems.fetchNodes()
    for (const system of new Set(cells.map((cell) => cell.system)))
      if (values.system === undefined || values.system.includes(system.suite))
        await systems.run(system, values.full)
  } finally {
    await systems.remove()
    rmSync(scratch, { recursive: true, force: true })
  }
  print(table(systems.rows))
  const failed = systems.rows.filter((row) => !row.passed).length
  print(`clean systems: ${systems.rows.length - failed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

process.exitCode = await main()

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Change, TestBuild } from '../../support/testBuild.ts'

const SETTLE = fileURLToPath(new URL('settle.ts', import.meta.url))

/** Put before modules that have no such imports; the first is loaded by every thread. */
const PREFIXES: Readonly<Record<string, string>> = {
  'observe/logger.ts': "import '../settle.ts'\n",
  'node/peers/peerNode.ts': `
    import { renameSync, writeFileSync } from 'node:fs'
    import { join } from 'node:path'
    function noted(folder, report) {
      const text = JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      writeFileSync(join(folder, 'report.json.new'), text)
      renameSync(join(folder, 'report.json.new'), join(folder, 'report.json'))
      return report.network
    }
  `,
}

/**
 * Of all nodes of the network: blocks weigh enough for a branch to be lighter than another of its length, the peers'
 * thread writes its report down, and heaps can be settled.
 */
export const OF_ALL: readonly Change[] = [
  { file: 'config/networks/regtest.ts', find: "difficulty: '0x0000000001'", replace: "difficulty: '0x1000'" },
  {
    file: 'node/peers/peerNode.ts',
    find: 'network: opened.stats(),',
    replace:
      'network: noted(options.dataDir, { network: opened.stats(), sync: client.stats, halted: client.halt }),',
  },
]

/** The node as the tests of networks run it. */
export function createNetworkBuild(): Promise<TestBuild> {
  const files = new Map([['settle.ts', readFileSync(SETTLE, 'utf8')]])
  return TestBuild.create({ changes: OF_ALL, files, prefixes: PREFIXES })
}

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { untilAnswer } from './answer.ts'
import { type Bench, bytesOf, CLONE, nodeOptions } from './cells.ts'
import type { CleanRoot } from './root.ts'
import { INSTALL_PACKAGES, type NodeRelease, type System } from './systems.ts'
import type { Row } from './table.ts'

const MADE = '/home/packages'
const INSTALLED = '/home/installed'

/** Makes the packages from a checkout that was built in a root, and copies them to a folder of the machine. */
export async function makePackages(bench: Bench, node: NodeRelease, folder: string): Promise<void> {
  await bench.root.run(`npm run --silent package -- ${MADE}`, nodeOptions(bench, node, CLONE))
  cpSync(join(bench.root.folder, MADE), folder, {
    recursive: true,
    filter: (path) => !path.includes('/staged'),
  })
}

/** Installs the packages, which lie in a folder of the machine, on a system without a compiler, and starts the node. */
export async function packedInstall(
  bench: Omit<Bench, 'root'>,
  system: System,
  node: NodeRelease,
  folder: string,
  root: CleanRoot,
): Promise<Row> {
  const began = performance.now()
  const inRoot: Bench = { ...bench, root, system }
  root.create(system.suite, INSTALL_PACKAGES)
  const made = performance.now()
  bench.log(`root without a compiler made in ${((made - began) / 1000).toFixed(1)} s`)
  const options = nodeOptions(inRoot, node, INSTALLED)
  const mounts = [...(options.mounts ?? []), { from: folder, to: '/packages', mode: 'ro' as const }]
  const install = 'npm install rhizome-*.tgz'
  const start = 'npx rhizome start'
  await root.run(`mkdir ${INSTALLED}`)
  await root.run('npm init --yes && npm install /packages/*.tgz', { ...options, mounts })
  const attempt = await untilAnswer(root, start, options)
  return {
    system: system.name,
    node: node.version,
    command: `${install} && ${start}`,
    passed: attempt.answered,
    outcome: attempt.answered ? 'answers' : `exit ${attempt.status}`,
    seconds: (performance.now() - made) / 1000,
    firstAnswer: attempt.answered ? attempt.total : null,
    bytes: await bytesOf(inRoot, INSTALLED),
  }
}

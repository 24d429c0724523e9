import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readArtefact } from '../contracts/artefact.ts'
import { REGTEST_CHAIN_ID } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'
import { HARDHAT_TESTS } from './hardhatProject.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HARDHAT = createRequire(import.meta.url).resolve('hardhat/internal/cli/cli.js')

t.test('the tests of a Hardhat project pass against the node', async (t) => {
  const folder = t.testdir({ data: {} })
  const node = await startNode({ dataDir: join(folder, 'data') })
  t.teardown(() => node.stop())
  const project = join(folder, 'project')
  writeProject(project, node.url)
  const { code, output } = await runHardhat(project, ['test', '--no-compile', '--network', 'rhizome'])
  t.equal(code, 0, output)
  t.match(output, /8 passing/)
})

/** The contracts come compiled, so that nothing is downloaded. */
function writeProject(project: string, url: string): void {
  for (const name of ['Token', 'Failures'] as const) {
    const { abi, bytecode, deployedBytecode } = readArtefact(name)
    const folder = join(project, `artifacts/contracts/${name}.sol`)
    mkdirSync(folder, { recursive: true })
    const artifact = {
      _format: 'hh-sol-artifact-1',
      contractName: name,
      sourceName: `contracts/${name}.sol`,
      ...{ abi, bytecode, deployedBytecode, linkReferences: {}, deployedLinkReferences: {} },
    }
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(artifact))
  }
  mkdirSync(join(project, 'contracts'))
  mkdirSync(join(project, 'test'))
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'))
  writeFileSync(join(project, 'package.json'), '{"name":"project","private":true}')
  writeFileSync(
    join(project, 'hardhat.config.js'),
    `require('@nomicfoundation/hardhat-ethers')
module.exports = {
  solidity: '0.8.30',
  networks: {
    rhizome: { url: '${url}', chainId: ${REGTEST_CHAIN_ID} },
  },
}
`,
  )
  writeFileSync(join(project, 'test/project.js'), HARDHAT_TESTS)
}

function runHardhat(project: string, args: string[]): Promise<{ code: number | null; output: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(NODE_OPTIONS|TAP.*|_TAPJS.*|TS_NODE.*)$/.test(name)),
  )
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [HARDHAT, ...args],
      {
        cwd: project,
        // A home of its own: no settings of the machine, no compilers kept from elsewhere.
        env: {
          ...env,
          HOME: project,
          HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
          HARDHAT_EXPERIMENTAL_ALLOW_NON_LOCAL_INSTALLATION: 'true',
          CI: 'true',
        },
        timeout: 120_000,
      },
      (_, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    )
  })
}

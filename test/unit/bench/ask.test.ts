import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { askAgain } from '../../../bench/scale/ask.ts'
import { JsonRpcError } from '../../support/nodeProcess.ts'

void t.test('a question that got no answer is asked again on another connection', async (t) => {
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    if (asked < 3) request.socket.destroy()
    else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: asked }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.equal(await askAgain(url, 'eth_blockNumber', []), 3)
})

void t.test('an error that was answered is thrown at once', async (t) => {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'unknown block' } }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await t.rejects(
    askAgain(url, 'eth_getBlockByHash', []),
    new JsonRpcError({ code: -32000, message: 'unknown block' }),
  )
  t.equal(asked, 1)
})

void t.test('what is never answered says what was asked', async (t) => {
  const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await t.rejects(askAgain(url, 'evm_mine', []), {
    message: `evm_mine got no answer from ${url} in 5 attempts`,
  })
})

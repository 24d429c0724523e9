import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'
import { accessibilityFaults, findBrowser, openBrowser, openTab, overhang, untilShown } from './browser.ts'
import { create, HOSTILE } from './chain.ts'

const SHOWN_HOSTILE = HOSTILE.replace('\u202e', '\\u{202e}')
const NOISY = readArtefact('Noisy')
const FAILURES = readArtefact('Failures')
const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false

const dataOf = (abi: unknown, functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: abi as Abi, functionName, args })

t.test('a method whose estimate fails is told by the page alone', { skip }, async (t) => {
  const project = t.testdir({ artifacts: {}, data: {} })
  mkdirSync(join(project, 'artifacts', 'build-info'))
  const node = await startNode({ dataDir: join(project, 'data', 'node'), args: ['--project', project] })
  t.teardown(() => node.stop())
  const bytecode = encodeDeployData({
    abi: NOISY.abi as Abi,
    bytecode: NOISY.bytecode,
    args: [5n, 'Ann'],
  })
  const noisy = await create(node, bytecode)
  const failures = await create(node, FAILURES.bytecode)
  // The build has the code of the contract as it is on the chain, with what its constructor wrote into it.
  const deployedBytecode = await node.request<string>('eth_getCode', [noisy, 'latest'])
  writeFileSync(
    join(project, 'artifacts', 'Noisy.json'),
    JSON.stringify({ contractName: 'Noisy', abi: NOISY.abi, deployedBytecode }),
  )
  const head = await node.request('eth_blockNumber')
  const estimate = (to: string, data: string) =>
    node.request('eth_estimateGas', [{ from: COW_ADDRESS, to, data }])

  const browser = await openBrowser(t)
  const { page, faults } = await openTab(browser, `${node.url}/#/dev`)
  await untilShown(page, 'Development')
  const failed = page.locator('section', {
    has: page.getByRole('heading', { name: 'Failed calls and estimates', exact: true }),
  })
  await failed.getByText('None since the node started.').waitFor()

  // As Hardhat does with its defaults: it estimates, and sends nothing.
  await t.rejects(estimate(noisy, dataOf(NOISY.abi, 'add', [700n])))
  await failed.locator('details[open]').waitFor()
  const [entry] = await failed.locator('details').allTextContents()
  t.match(entry, 'eth_estimateGas')
  t.match(entry, 'Noisy.add(amount: 700)')
  t.match(entry, /TooMuch\(asked: 700, limits: \(most: 100, /)
  t.match(await failed.locator('.printed').allTextContents(), [
    new RegExp(`^adding 700 for ${COW_ADDRESS}$`, 'i'),
    /^inside/,
  ])
  t.equal(await node.request('eth_blockNumber'), head, 'the chain has nothing of it')

  await t.rejects(
    node.request('eth_call', [
      { to: failures, data: dataOf(FAILURES.abi, 'withReason', [HOSTILE]) },
      'latest',
    ]),
  )
  await failed.getByText(SHOWN_HOSTILE).first().waitFor({ state: 'attached' })
  t.equal(await failed.locator('details').count(), 2)
  t.match(await failed.locator('details').first().textContent(), 'eth_call')
  await failed.locator('summary').first().click()
  await failed.getByText(SHOWN_HOSTILE).first().waitFor()
  t.equal(await page.locator('main img').count(), 0)
  t.equal(await failed.locator('details[open]').count(), 2, 'what was open stays open')
  t.same(await accessibilityFaults(page), [])
  await page.setViewportSize({ width: 320, height: 640 })
  t.equal(await overhang(page), 0)

  // A call that succeeds is none of them, and the list is on the first page as well.
  await node.request('eth_call', [{ to: noisy, data: dataOf(NOISY.abi, 'add', [7n]) }, 'latest'])
  await page.goto(`${node.url}/#/`)
  await untilShown(page, 'Local development chain')
  await failed.getByText('Noisy.add(amount: 700)').waitFor()
  t.equal(await failed.locator('details').count(), 2)
  t.same(await accessibilityFaults(page), [])
  t.equal(await overhang(page), 0)
  t.same(faults, [])

  const asked = async (origin: string) => {
    const answer = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(origin === '' ? {} : { origin }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_getFailedCalls', params: [] }),
    })
    return (await answer.json()) as object
  }
  t.match(await asked(''), { result: [{ method: 'eth_call' }, { method: 'eth_estimateGas' }] })
  t.match(await asked('https://example.org'), { error: { code: -32601 } })
  t.match(await asked('http://localhost:3000'), { error: { code: -32601 } })
})

t.test('a public node has no such list', { skip }, async (t) => {
  const node = await startNode({
    dataDir: join(t.testdir({ data: {} }), 'data'),
    args: ['--profile', 'hosted'],
  })
  t.teardown(() => node.stop())
  const { page, faults } = await openTab(await openBrowser(t), `${node.url}/`)
  await untilShown(page, 'Local development chain')
  t.equal(await page.getByText('Failed calls and estimates').count(), 0)
  await t.rejects(node.request('evm_getFailedCalls'), { code: -32601 })
  t.same(faults, [])
})

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readArtefact } from '../contracts/artefact.ts'
import { startNode } from '../support/nodeProcess.ts'
import { findBrowser, openBrowser, openTab, untilShown } from './browser.ts'
import { create, HOSTILE } from './chain.ts'

const SHOWN_HOSTILE = HOSTILE.replace('\u202e', '\\u{202e}')
const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false

t.test('contracts of the project that the node was started with, in a browser', { skip }, async (t) => {
  const project = t.testdir({ artifacts: {}, data: {} })
  const write = (name: string, artifact: object) =>
    writeFileSync(join(project, 'artifacts', `${name}.json`), JSON.stringify(artifact))
  mkdirSync(join(project, 'artifacts', 'build-info'))
  const archive = readArtefact('Archive')
  write('Hostile', {
    contractName: HOSTILE,
    abi: [{ type: 'function', name: `say${HOSTILE}`, inputs: [], outputs: [] }],
  })
  const node = await startNode({ dataDir: join(project, 'data', 'node'), args: ['--project', project] })
  t.teardown(() => node.stop())
  const address = await create(node, archive.bytecode)
  const code = await node.request<string>('eth_getCode', [address, 'latest'])

  const { page, faults } = await openTab(await openBrowser(t), `${node.url}/#/abis`, {})
  await untilShown(page, 'ABIs')
  const table = page.getByRole('table', { name: 'ABIs that are known' })
  const rows = () => table.locator('tbody tr').allTextContents()
  await table.getByText('of the project').first().waitFor()
  t.match(await rows(), [`${SHOWN_HOSTILE}1`])
  t.equal((await rows()).length, 1)
  t.equal(await page.evaluate("localStorage.getItem('abis')"), null, 'the browser keeps nothing of it')

  // A build ends while the page is open; the address shows what it is without a drop.
  write('Archive', { contractName: 'Archive', abi: archive.abi, deployedBytecode: code })
  await page.waitForTimeout(2100)
  await page.goto(`${node.url}/#/address/${address}`)
  await untilShown(page, 'Address')
  await page.locator('main').getByText('Archive').first().waitFor()
  await page.locator('summary', { hasText: 'setTitle' }).first().waitFor()

  const foreign = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://example.org' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_getProjectArtifacts', params: [] }),
  })
  t.match(await foreign.json(), { error: { code: -32601 } }, 'pages of other origins get none of it')
  t.same(faults, [])
})

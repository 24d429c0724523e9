import { join } from 'node:path'
import t from 'tap'
import { startNode } from '../support/nodeProcess.ts'
import { findBrowser, openBrowser, openTab, untilShown } from './browser.ts'

const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false

t.test('the page of a fork names its network, block and host, and no key', { skip }, async (t) => {
  const folder = t.testdir({ upstream: {}, fork: {} })
  const upstream = await startNode({ dataDir: join(folder, 'upstream') })
  t.teardown(() => upstream.stop())
  await upstream.request('hardhat_mine', ['0x4d2'])
  const node = await startNode({
    dataDir: join(folder, 'fork', 'data'),
    args: [
      ...['--fork-url', `${upstream.url}/?key=secret`, '--fork-block', '1230', '--chain-id', '99'],
      ...['--fork-cache', join(folder, 'fork', 'answers')],
    ],
  })
  t.teardown(() => node.stop())
  const { hash } = await upstream.request<{ hash: string }>('eth_getBlockByNumber', ['0x4ce', false])
  const { host } = new URL(upstream.url)
  const { forkedNetwork } = await node.request<{ forkedNetwork: unknown }>('hardhat_metadata')
  t.same(forkedNetwork, { chainId: 33, forkBlockNumber: 1230, forkBlockHash: hash, upstream: host })
  const tab = await openTab(await openBrowser(t), `${node.url}/`)
  await untilShown(tab.page, 'Chain 99')
  const text = String(await tab.page.locator('main').textContent())
  t.match(text, new RegExp(`Fork of\\s*Local development chain, block 1,230, read from ${host}`))
  t.notMatch(await tab.page.content(), /secret/)
  t.same(tab.faults, [])
})

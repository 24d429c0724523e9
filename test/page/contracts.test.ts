import { join } from 'node:path'
import { Interface } from 'ethers'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { readArtefact } from '../contracts/artefact.ts'
import { startNode } from '../support/nodeProcess.ts'
import {
  accessibilityFaults,
  findBrowser,
  openBrowser,
  openTab,
  overhang,
  type Tab,
  untilShown,
} from './browser.ts'
import { create, HOSTILE, makeSample, RECEIVER, SENDER, send } from './chain.ts'

const SHOWN_HOSTILE = HOSTILE.replace('\u202e', '\\u{202e}')
const OTHER = '0x0a3aa774752ec2042c46548456c094a76c7f3a79'

/** An ABI in which whatever a stranger may name is markup. */
const HOSTILE_ABI = {
  contractName: `${HOSTILE}"'><script>alert(2)</script>`,
  abi: [
    {
      type: 'function',
      name: `say${HOSTILE}`,
      stateMutability: 'view',
      inputs: [{ name: HOSTILE, type: 'uint256' }],
      outputs: [{ name: HOSTILE, type: 'string' }],
    },
    {
      type: 'function',
      name: `pay${HOSTILE}`,
      stateMutability: 'payable',
      inputs: [{ name: HOSTILE, type: 'tuple', components: [{ name: HOSTILE, type: 'string' }] }],
      outputs: [],
    },
    { type: 'error', name: 'onerror="alert(3)"', inputs: [{ name: HOSTILE, type: 'string' }] },
    {
      type: 'event',
      name: `<svg onload=alert(4)>`,
      inputs: [{ name: HOSTILE, type: 'string', indexed: true }],
    },
  ],
}

const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false

t.test('contracts by their ABIs in a browser', { skip }, async (t) => {
  const node = await startNode({ dataDir: join(t.testdir({ data: {} }), 'data') })
  t.teardown(() => node.stop())
  const sample = await makeSample(node)
  const failures = new Interface(readArtefact('Failures').abi as never)
  const archive = new Interface(readArtefact('Archive').abi as never)
  const refused = await send(node, {
    to: sample.failures,
    data: failures.encodeFunctionData('withError', [7, HOSTILE]),
  })
  const archiveAddress = await create(node, readArtefact('Archive').bytecode)
  const titled = await send(node, {
    to: archiveAddress,
    data: archive.encodeFunctionData('setTitle', [HOSTILE]),
  })
  const url = `${node.url}/`
  const browser = await openBrowser(t)
  /** Runs a test in a tab of its own, in which nothing may go wrong. */
  const inTab = (name: string, options: object, body: (t: Test, tab: Tab) => Promise<void>) =>
    t.test(name, async (t) => {
      const tab = await openTab(browser, url, options)
      await untilShown(tab.page, 'Local development chain')
      await body(t, tab)
      t.same(tab.faults, [])
      await tab.page.context().close()
    })
  const main = (page: Page) => page.locator('main')
  const paste = async (page: Page, abi: unknown, name = '') => {
    await page.goto(`${url}#/abis`)
    await untilShown(page, 'ABIs')
    await page.getByLabel('Or paste one').fill(typeof abi === 'string' ? abi : JSON.stringify(abi))
    await page.getByLabel('Name, where it has none').fill(name)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
  }
  const added = (page: Page, name: string | RegExp) => main(page).getByText(name).first().waitFor()
  const visit = async (page: Page, hash: string, title: string) => {
    await page.goto(`${url}${hash}`)
    await untilShown(page, title)
  }
  const open = async (page: Page, signature: string) => {
    await page.locator('summary', { hasText: signature }).click()
    return page.locator('details[open]', { hasText: signature }).locator('form')
  }

  const balance = async (address: string) =>
    BigInt(
      await node.request<string>('eth_call', [
        { to: sample.token, data: `0x70a08231${address.slice(2).padStart(64, '0')}` },
        'latest',
      ]),
    )

  await inTab('an artifact is dropped, kept and forgotten', {}, async (t, { page }) => {
    await visit(page, '#/abis', 'ABIs')
    const transfer = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(JSON.stringify(readArtefact('Failures')))}], 'x.json')); return data })()`,
    )
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer })
    await added(page, 'Added: Failures')
    await page.getByLabel('Artifacts of Hardhat').setInputFiles([
      {
        name: 'Archive.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify({ abi: readArtefact('Archive').abi })),
      },
      { name: `${HOSTILE}.json`, mimeType: 'application/json', buffer: Buffer.from('{"abi":[]}') },
    ])
    await added(page, 'Added: Archive')
    await added(page, `${SHOWN_HOSTILE}.json: The ABI names no function, event or error.`)
    await page.reload()
    await untilShown(page, 'ABIs')
    const table = page.getByRole('table', { name: 'ABIs that are known' })
    t.same(await table.locator('tbody td:first-child').allTextContents(), ['Archive', 'Failures'])
    await page.getByRole('button', { name: 'Forget Archive' }).click()
    t.same(await table.locator('tbody td:first-child').allTextContents(), ['Failures'])
    await page.evaluate("localStorage.setItem('abis', '[{\"name\":1}, 2')")
    await page.reload()
    await untilShown(page, 'ABIs')
    await main(page).getByText('None.').waitFor()
  })

  await inTab('no more is kept than the page may keep', {}, async (t, { page }) => {
    const large = (name: string) => ({
      contractName: name,
      abi: Array.from({ length: 800 }, (_, index) => ({
        type: 'function',
        name: `f${index}`,
        inputs: Array.from({ length: 9 }, () => ({ name: 'parameter'.repeat(3), type: 'uint256' })),
      })),
    })
    await paste(page, large('First'))
    await added(page, 'Added: First')
    await paste(page, large('Second'))
    await added(page, 'Added: Second')
    await paste(page, large('Third'))
    await added(page, 'The page keeps 1024 KiB of ABIs. Remove some first.')
    t.ok((await page.evaluate<number>("localStorage.getItem('abis').length")) <= 1024 * 1024)
    await paste(page, '{"abi":')
    await added(page, 'This is no JSON.')
  })

  await inTab('where the browser keeps nothing they last as long as the page', {}, async (t, { page }) => {
    await page.addInitScript("Storage.prototype.setItem = () => { throw new Error('closed') }")
    await page.reload()
    await paste(page, readArtefact('Token'))
    await added(page, 'The browser keeps nothing for this page: they last until it is closed.')
    t.equal(await page.getByRole('button', { name: 'Forget Token' }).count(), 1)
    await page.reload()
    await untilShown(page, 'ABIs')
    t.equal(await page.getByRole('button', { name: 'Forget Token' }).count(), 0)
  })

  await inTab('calls, logs and errors have the words of the ABI', {}, async (t, { page }) => {
    await visit(page, `#/tx/${refused}`, 'Transaction')
    t.match(await main(page).textContent(), /custom error 0x[0-9a-f]{8}/)
    for (const name of ['Failures', 'Archive'] as const) {
      await paste(page, readArtefact(name))
      await added(page, `Added: ${name}`)
    }
    await visit(page, `#/tx/${refused}`, 'Transaction')
    const reason = `Refused(caller: ${SENDER}, code: 7, reason: "${SHOWN_HOSTILE}")`
    await main(page).getByText(reason, { exact: true }).first().waitFor()
    t.match(await main(page).textContent(), /withError\(uint256,string\)/)
    const args = page.locator('section', { has: page.getByRole('heading', { name: 'Arguments' }) })
    t.match(await args.textContent(), /code uint2567/)
    await args.getByText(SHOWN_HOSTILE, { exact: true }).waitFor()
    await visit(page, `#/tx/${titled}`, 'Transaction')
    await page.locator('.logs').getByText('Titled').waitFor()
    await page.locator('.logs').getByText(SHOWN_HOSTILE, { exact: true }).waitFor()
    t.match(await page.locator('.calls').textContent(), 'setTitle(value: ')
    await visit(page, '#/', 'Local development chain')
    const row = page.locator('tr', { has: page.locator(`a[href="#/tx/${titled}"]`) })
    await row.getByText('setTitle', { exact: true }).waitFor()
    t.equal(await page.locator('main img, main script, main svg').count(), 0)
  })

  await inTab('a contract is read and written with forms', {}, async (t, { page }) => {
    await visit(page, `#/address/${sample.token}`, 'Address')
    await page.getByText('Add an ABI').click()
    await page.getByLabel('Or paste one').fill(JSON.stringify(readArtefact('Token').abi))
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const read = await open(page, 'balanceOf(address)')
    await read.getByRole('button', { name: 'Read' }).click()
    await read.getByText('This does not fit: address.').waitFor()
    await read.getByRole('textbox').fill(RECEIVER)
    await read.getByRole('button', { name: 'Read' }).click()
    await read.getByText('5,000,000,000,000,000,000').waitFor()
    await read.getByText('Asked by').click()
    t.equal(await read.getByLabel('From').locator('option').count(), 10)
    await read.getByRole('textbox').fill(OTHER)
    t.equal(await read.locator('.result > *').count(), 0, 'an old result is gone')
    const write = await open(page, 'transfer(address,uint256)')
    await write.getByLabel('to', { exact: true }).fill(OTHER)
    await write.getByLabel('value', { exact: true }).fill('2.5 RBTC')
    await write.getByRole('button', { name: 'Send' }).click()
    await write.locator('.tag.good', { hasText: 'success' }).waitFor()
    t.equal(await balance(OTHER), 25n * 10n ** 17n)
    // Somebody who has none of the tokens: what the estimate says is said in the words of the ABI.
    await write.getByLabel('From', { exact: true }).selectOption({ index: 5 })
    await write.getByRole('button', { name: 'Send' }).click()
    await write
      .getByText(/^InsufficientBalance\(owner: 0x[0-9a-f]{40}, balance: 0, needed: 2500000000000000000\)$/)
      .waitFor()
    // With a limit of one's own it is sent all the same, and fails in its block.
    await write.getByLabel('Gas limit').fill('100,000')
    await write.getByRole('button', { name: 'Send' }).click()
    await write.locator('.tag.bad', { hasText: 'failed' }).waitFor()
  })

  await inTab('what is hostile in an ABI is text and nothing else', {}, async (t, { page }) => {
    await paste(page, HOSTILE_ABI)
    await added(page, 'Added: <img src=x')
    await visit(page, `#/address/${sample.hostile}`, 'Address')
    await page.getByLabel('ABI', { exact: true }).selectOption({ index: 1 })
    const read = await open(page, 'say<img')
    await read.getByRole('textbox').fill('1')
    await read.getByRole('button', { name: 'Read' }).click()
    await read.locator('.result').getByText(SHOWN_HOSTILE, { exact: true }).last().waitFor()
    const pay = await open(page, 'pay<img')
    await pay.getByLabel(SHOWN_HOSTILE, { exact: true }).fill(JSON.stringify([HOSTILE]))
    await pay.getByLabel('Value', { exact: true }).fill('1.5')
    await pay.getByRole('button', { name: 'Send' }).click()
    await pay.locator('.tag.good', { hasText: 'success' }).waitFor()
    t.equal(
      BigInt(await node.request<string>('eth_getBalance', [sample.hostile, 'latest'])),
      15n * 10n ** 17n,
    )
    await pay.locator('a[href^="#/tx/"]').click()
    await untilShown(page, 'Transaction')
    const args = page.locator('section', { has: page.getByRole('heading', { name: 'Arguments' }) })
    await args.getByText(SHOWN_HOSTILE).first().waitFor()
    t.equal(await page.locator('main img, main script, main svg').count(), 0)
    for (const hash of ['#/abis', `#/address/${sample.hostile}`]) {
      await visit(page, hash, hash === '#/abis' ? 'ABIs' : 'Address')
      t.equal(await page.locator('main img, main script, main svg').count(), 0)
    }
  })

  await inTab(
    'a choice is of the contract, not of whatever comes to its address',
    {},
    async (t, { page }) => {
      const address = `0x${'c0'.repeat(20)}`
      await node.request('hardhat_setCode', [address, '0x6001'])
      await paste(page, readArtefact('Token').abi, 'Mine')
      await added(page, 'Added: Mine')
      await visit(page, `#/address/${address}`, 'Address')
      await page.getByLabel('ABI', { exact: true }).selectOption('Mine')
      await page.reload()
      await untilShown(page, 'Address')
      t.match(await page.locator('.heading').textContent(), 'Mine')
      t.equal(await page.locator('summary', { hasText: 'transfer(address,uint256)' }).count(), 1)
      await node.request('hardhat_setCode', [address, '0x6002'])
      await page.reload()
      await untilShown(page, 'Address')
      t.notMatch(await page.locator('.heading').textContent(), 'Mine')
      t.equal(await page.locator('summary', { hasText: 'transfer(address,uint256)' }).count(), 0)
    },
  )

  await inTab('the wallet of the browser sends where there is one', {}, async (t, { page }) => {
    await page.addInitScript(`window.ethereum = {
      chain: '0x21',
      async request({ method, params }) {
        if (method === 'eth_requestAccounts') return [${JSON.stringify(OTHER)}]
        if (method === 'eth_chainId') return this.chain
        const answer = await fetch('/', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        })
        const { result, error } = await answer.json()
        if (error) throw { code: error.code, message: error.message, data: { data: error.data } }
        return result
      },
    }`)
    await page.reload()
    await paste(page, readArtefact('Token'))
    await added(page, 'Added: Token')
    await visit(page, `#/address/${sample.token}`, 'Address')
    const write = await open(page, 'approve(address,uint256)')
    await write.getByLabel('spender', { exact: true }).fill(RECEIVER)
    await write.getByLabel('value', { exact: true }).fill('9')
    await write.getByLabel('From', { exact: true }).selectOption('Wallet of the browser')
    await page.evaluate("window.ethereum.chain = '0x1e'")
    await write.getByRole('button', { name: 'Send' }).click()
    await write.getByText('The wallet is connected to chain 30, and this node is of chain 33.').waitFor()
    await page.evaluate("window.ethereum.chain = '0x21'")
    await write.getByRole('button', { name: 'Send' }).click()
    await write.locator('.tag.good', { hasText: 'success' }).waitFor()
    const hash = (await write.locator('a[href^="#/tx/"]').getAttribute('href'))?.slice(5)
    t.match(await node.request('eth_getTransactionByHash', [hash]), { from: OTHER })
  })

  for (const [size, viewport] of [
    ['a phone', { width: 320, height: 640 }],
    ['a desk', { width: 1280, height: 800 }],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await inTab(
        `on ${size}, ${colorScheme}: fits, and axe finds nothing`,
        { viewport, colorScheme },
        async (t, { page }) => {
          await paste(page, readArtefact('Archive'))
          await added(page, 'Added: Archive')
          await paste(page, HOSTILE_ABI)
          await added(page, 'Added: <img')
          t.equal(await overhang(page), 0)
          t.same(await accessibilityFaults(page), [])
          await visit(page, `#/address/${archiveAddress}`, 'Address')
          const read = await open(page, 'title()')
          await read.getByRole('button', { name: 'Read' }).click()
          await read.getByText(SHOWN_HOSTILE).waitFor()
          await open(page, 'setTitle(string)')
          await page.getByText('Add an ABI').click()
          t.equal(await overhang(page), 0)
          t.same(await accessibilityFaults(page), [])
          await visit(page, `#/tx/${titled}`, 'Transaction')
          await page.locator('.logs').getByText('Titled').waitFor()
          t.equal(await overhang(page), 0)
          t.same(await accessibilityFaults(page), [])
        },
      )
    }
  }
})

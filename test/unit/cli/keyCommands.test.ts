import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { AccessStore } from '../../../src/storage/access/accessStore.ts'
import { dayText } from '../../../src/storage/access/usageRecord.ts'
import { localDay } from '../../../src/util/localDay.ts'
import { hashSecret } from '../../../src/util/secretKey.ts'
import { keyRecord } from '../../support/keyRecords.ts'
import { runProgram } from '../../support/program.ts'

function open(t: Test) {
  const dataDir = t.testdir()
  const key = (...words: string[]) => runProgram('key', ...words, '--data-dir', dataDir)
  const keys = async () => {
    const store = AccessStore.open({ dataDir })
    const found = store.keys()
    await store.close()
    return found
  }
  return { dataDir, key, keys }
}

t.test('a key is made, listed, switched off and on, and given a new secret', async (t) => {
  const { dataDir, key, keys } = open(t)
  const made = await key(
    ...[
      'create',
      '--id',
      'ada',
      '--name',
      'Ada of London',
      '--modules',
      'eth,net',
      '--methods',
      'rsk_getRawBlockHeaderByHash',
    ],
    ...['--revert-errors', 'geth'],
    ...['--origins', 'https://app.example', '--rate', '50', '--burst', '200', '--daily-quota', '1000'],
  )
  const secret = made.stdout.trim()
  t.match(secret, /^rhz_[A-Za-z0-9_-]{43}$/)
  t.match(made.stderr, /^key ada; its secret, which is not shown again:$/m)
  const [stored] = await keys()
  t.match(stored, {
    id: 'ada',
    hash: hashSecret(secret),
    modules: new Set(['eth', 'net']),
    revertErrors: 'geth',
    limits: { rate: 50, burst: 200, dailyQuota: 1000, concurrency: null, sockets: null, subscriptions: null },
  })
  const listed = await key('list')
  t.match(
    listed.stdout,
    /^ada +enabled, reverts as geth +\d{4}-\d\d-\d\d +eth,net,rsk_\w+ for https:\/\/app.example +rate 50, burst 200, dailyQuota 1000 +Ada of London$/m,
  )
  t.equal((await key('disable', 'ada')).stdout, 'key ada disabled\n')
  t.match((await key('list')).stdout, /^ada +disabled, /m)
  t.equal((await key('enable', 'ada')).stdout, 'key ada enabled\n')
  const rotated = await key('rotate', 'ada', '--grace', '3600')
  t.match(rotated.stderr, /the old one works until \d{4}-/)
  const [next] = await keys()
  t.same(next?.hash, hashSecret(rotated.stdout.trim()))
  t.same(next?.previous?.hash, hashSecret(secret))
  t.match(JSON.parse((await key('list', '--json')).stdout), [
    { id: 'ada', previousUntil: /Z$/, modules: ['eth', 'net'] },
  ])
  await key('rotate', 'ada')
  t.equal((await keys())[0]?.previous, null)
  const bytes = readFileSync(join(dataDir, 'access', 'data.mdb'))
  t.notOk(bytes.includes(secret) || bytes.includes(rotated.stdout.trim()), 'no secret is stored')
  t.match((await key('create')).stderr, /^key key-[0-9a-f]{10}; /)
  t.equal((await keys()).length, 2)
  t.equal((await keys()).find(({ id }) => id !== 'ada')?.revertErrors, null, 'as the node')
  t.match(await key('create', '--revert-errors', 'parity'), { thrown: { message: /--revert-errors/ } })
  t.equal((await keys()).length, 2)
  const formOf = async () => (await keys()).find(({ id }) => id === 'ada')?.revertErrors
  t.equal(
    (await key('set', 'ada', '--revert-errors', 'reference')).stdout,
    'key ada: reverts as reference; ranges beyond the head: as the node does\n',
  )
  t.equal(await formOf(), 'reference')
  t.match((await key('list')).stdout, /^ada .* reverts as reference /m)
  const rangesOf = async () => (await keys()).find(({ id }) => id === 'ada')?.beyondHead
  t.equal(
    (await key('set', 'ada', '--beyond-head', 'refuse')).stdout,
    'key ada: reverts as reference; ranges beyond the head: refuse\n',
  )
  t.equal(await rangesOf(), 'refuse')
  t.match((await key('list')).stdout, /^ada .* ranges beyond the head: refuse /m)
  await key('set', 'ada', '--revert-errors', 'node')
  t.same([await formOf(), await rangesOf()], [null, 'refuse'], 'what is not named stays')
})

t.test('what cannot be done says so', async (t) => {
  const { dataDir, key } = open(t)
  t.equal((await key('list')).stdout, 'no keys: `key create` makes one\n')
  for (const command of ['disable', 'enable', 'rotate', 'set', 'usage']) {
    t.match(
      await key(command, 'eve'),
      { thrown: { message: 'there is no key eve: see `key list`' } },
      command,
    )
  }
  await key('create', '--id', 'ada')
  t.match(await key('create', '--id', 'ada'), { thrown: { message: 'there is a key ada already' } })
  t.match(await key('create', '--id', 'a b'), { thrown: { message: /--id/ } })
  t.match(await key('create', '--rate', 'fast'), { thrown: { message: /--rate/ } })
  t.match(await key('disable'), { thrown: { code: 'commander.missingArgument' } })
  const store = AccessStore.open({ dataDir })
  store.replaceFileKeys([keyRecord('filed', { fromFile: true })])
  await store.close()
  for (const command of ['rotate', 'set'])
    t.match(await key(command, 'filed'), { thrown: { message: /is of the key file/ } }, command)
  const file = join(dataDir, 'access', 'data.mdb')
  t.match(await runProgram('key', 'list', '--data-dir', file), { thrown: { message: /cannot be used/ } })
})

t.test('usage is shown by day and method', async (t) => {
  const { dataDir, key } = open(t)
  t.equal((await key('usage')).stdout, 'no usage\n')
  await key('create', '--id', 'ada')
  t.equal((await key('usage', 'ada')).stdout, 'no usage\n')
  const store = AccessStore.open({ dataDir })
  store.setTimezone('Asia/Tokyo')
  const today = localDay(Date.now(), 'Asia/Tokyo')
  const usage = { count: 12, cost: 60, bytes: 3456, errors: 1, refused: 2 }
  await store.addUsage([
    { id: 'ada', day: today, methods: new Map([['eth_call', usage]]) },
    { id: 'ada', day: today - 1, methods: new Map([['eth_chainId', usage]]) },
    { id: '-', day: today, methods: new Map([['net_version', usage]]) },
  ])
  await store.close()
  const { stdout } = await key('usage', 'ada')
  t.equal(stdout.split('\n')[0], 'id   day         method    requests  cost  bytes  errors  refused')
  t.equal(stdout.split('\n')[1], `ada  ${dayText(today)}  eth_call  12        60    3456   1       2`)
  const all = JSON.parse((await key('usage', '--days', '2', '--json')).stdout) as {
    id: string
    method: string
  }[]
  t.same(
    all.map(({ id, method }) => `${id} ${method}`),
    ['- net_version', 'ada eth_chainId', 'ada eth_call'],
  )
})

import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import { HOUR, request } from '../../support/fleetScene.ts'
import { openHttpService } from '../../support/httpService.ts'

const ORIGIN = 'https://app.example'

t.test('a member holds WebSockets and HTTP, and says when it answers on its own', async (t) => {
  const clock = { now: 1000 }
  const service = await openHttpService({
    front: { corsOrigin: ORIGIN },
    blockHeaders: true,
    fleet: {
      lease: { deadline: new Float64Array([HOUR]) },
      clock: () => clock.now,
      hold: HOUR,
      servesIsolated: true,
    },
  })
  t.teardown(() => service.stop())
  const { gate } = service
  if (gate === null) throw new Error('a member has a gate')
  const url = `127.0.0.1:${service.port}`
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`http://${url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  const before = await post(request('eth_blockNumber'))
  t.equal(before.status, 503, 'it has not joined')
  await before.text()
  gate.onEvent({ kind: 'membership', absence: null, head: null })

  const socket = new WebSocket(`ws://${url}`)
  await once(socket, 'open')
  const answers: string[] = []
  const allThere = new Promise<void>((resolve) => {
    socket.on('message', (message: Buffer) => {
      answers.push(message.toString())
      if (answers.length === 3) resolve()
    })
  })
  gate.hold(1)
  const held = post(request('eth_chainId', [], 9))
  for (const id of [1, 2]) socket.send(request('eth_chainId', [], id))
  socket.send(`[${request('eth_chainId', [], 3)}]`)
  const isHeld = () => gate.waiting === 4
  while (!isHeld()) await new Promise(setImmediate)
  t.same(answers, [])
  const head = await headOf(service.port)
  gate.onEvent({ kind: 'release', revision: 2, hash: head })
  await allThere
  t.same(
    answers.map((text) => (/"id":(\d)/.exec(text) ?? [])[1]),
    ['1', '2', '3'],
    'in the order of the messages',
  )
  const answer = await held
  t.match(await answer.json(), { id: 9 })
  t.equal(answer.headers.get('x-fleet'), null)
  t.equal(answer.headers.get('x-block-hash'), `0x${head.toString('hex')}`)

  clock.now = HOUR
  const isolated = await post(request('eth_chainId'), { origin: ORIGIN })
  t.equal(isolated.status, 200)
  t.equal(isolated.headers.get('x-fleet'), 'isolated')
  t.match(isolated.headers.get('access-control-expose-headers'), /X-Fleet/)
  await isolated.text()
  socket.close()
})

/** Hash of the head, as any answer names it: while bodies wait, one that is refused before it is read. */
async function headOf(port: number): Promise<Buffer> {
  const refused = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-min-block': 'none' },
    body: '{}',
  })
  await refused.text()
  return Buffer.from(refused.headers.get('x-block-hash')?.slice(2) ?? '', 'hex')
}

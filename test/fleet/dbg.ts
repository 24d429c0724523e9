import { startNatsServer } from '../support/natsServer.ts'
import { AccessMembers } from '../support/accessMembers.ts'
import { mkdtempSync, mkdirSync } from 'node:fs'
const dir = mkdtempSync('/tmp/dbgnats'); mkdirSync(dir + '/ada'); mkdirSync(dir + '/bob'); mkdirSync(dir+'/nats')
const cluster = await startNatsServer({ folder: dir + '/nats' })
const fleet = await AccessMembers.create(cluster, { lease: 1000 })
const ada = await fleet.start(dir + '/ada'), bob = await fleet.start(dir + '/bob')
const u = (count: number) => ({ id: 'k', day: 5, methods: new Map([['m', { count, cost: 1, bytes: 1, errors: 0, refused: 0 }]]) })
const req = (s: any) => s.usage('k', 5, 5)[0]?.methods.get('m').count
await ada.store.addUsage([u(2)])
await new Promise(r => setTimeout(r, 2500))
console.log(req(ada.store), req(bob.store))
await cluster.servers[0]!.kill()
await ada.store.addUsage([u(10)])
await cluster.start()
for (let i = 0; i < 12; i++) { await new Promise(r => setTimeout(r, 1000)); console.log(i, req(ada.store), req(bob.store), ada.store.fleetUsage.mark(), [...ada.counts], ada.store.fleetUsage.ownIds()) }
process.exit(0)

// Servers of all stages in one process, each on a port of its own: `stageServer.ts ACCESS`. Tells its parent the ports,
// and at each message the processor time that it has used.
import { listen } from '../../src/front/server.ts'
import { loadSocketLibrary } from '../../src/front/socketLibrary.ts'
import { type Access, openLightScene } from '../../test/guard/lightScene.ts'
import type { StagePorts } from './benchRequest.ts'
import { HTTP_STAGES, SOCKET_STAGES, type Stage } from './stages.ts'

const access = process.argv[2] as Access
const library = loadSocketLibrary()
const front = (await openLightScene()).front(access)
const whole = await listen(library, { ...front.routes, options: { ...front.routes.options, port: 0 } })

async function portOf({ add }: Stage): Promise<number> {
  if (add === null) return whole.port
  const app = library.App()
  add(app, front)
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, (socket) => {
      if (socket === false) reject(new Error('no port'))
      else resolve(library.us_socket_local_port(socket))
    })
  })
}

const ports: StagePorts = {
  http: await Promise.all(HTTP_STAGES.map(portOf)),
  socket: await Promise.all(SOCKET_STAGES.map(portOf)),
}
process.send?.(ports)
process.on('message', () => process.send?.(process.cpuUsage()))

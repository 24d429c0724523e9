/**
 * What a page of another origin may try, as source that runs in the page: each sends a request and resolves with what
 * it could see of the answer.
 */
export const ATTACKS = {
  'JSON, behind a preflight': `async (url, body) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(url, { method: 'POST', headers, body })).text()
  }`,
  'bytes without a type': `async (url, body) => {
    const bytes = new TextEncoder().encode(body)
    return (await fetch(url, { method: 'POST', mode: 'no-cors', body: bytes })).type
  }`,
  'a Blob without a type': `async (url, body) => {
    return (await fetch(url, { method: 'POST', mode: 'no-cors', body: new Blob([body]) })).type
  }`,
  'plain text': `async (url, body) => (await fetch(url, { method: 'POST', mode: 'no-cors', body })).type`,
  'a beacon': `async (url, body) => {
    const sent = navigator.sendBeacon(url, new TextEncoder().encode(body))
    await new Promise((done) => setTimeout(done, 300))
    return String(sent)
  }`,
  'a form': `(url, body) => new Promise((done) => {
    const frame = document.createElement('iframe')
    frame.name = 'answer' + Math.random()
    const form = document.createElement('form')
    Object.assign(form, { method: 'POST', enctype: 'text/plain', action: url, target: frame.name })
    const field = document.createElement('input')
    // Sent as name=value: the rest of the body stands in a string.
    field.name = body.slice(0, -1) + ',"rest":"'
    field.value = '"}'
    form.append(field)
    document.body.append(frame, form)
    frame.onload = () => done('loaded')
    form.submit()
    setTimeout(() => done('silent'), 1000)
  })`,
  'a WebSocket': `(url, body) => new Promise((done) => {
    const socket = new WebSocket(url.replace('http', 'ws'))
    socket.onopen = () => socket.send(body)
    socket.onmessage = ({ data }) => done(data)
    socket.onerror = socket.onclose = () => done('closed')
  })`,
} as const

/** Source that runs every attack against an address and resolves with what was seen of each answer. */
export function attackScript(url: string, body: string): string {
  const attacks = Object.entries(ATTACKS).map(([name, run]) => `${JSON.stringify(name)}: ${run}`)
  const list = `{${attacks.join(',')}}`
  return `(async () => {
    const seen = {}
    for (const [name, run] of Object.entries(${list})) {
      seen[name] = await run(${JSON.stringify(url)}, ${JSON.stringify(body)}).catch(({ name }) => name)
    }
    return seen
  })()`
}

/** A page that runs a script in a frame whose origin is null, and keeps what it resolves with in \`window.seen\`. */
export function sandboxedScript(script: string): string {
  const inner = `<body><script>${script}.then((seen) => parent.postMessage(seen, '*'))</script>`
  return `new Promise((done) => {
    addEventListener('message', ({ data }) => done(data), { once: true })
    const frame = document.createElement('iframe')
    frame.sandbox = 'allow-scripts allow-forms'
    frame.srcdoc = ${JSON.stringify(inner)}
    document.body.append(frame)
  })`
}

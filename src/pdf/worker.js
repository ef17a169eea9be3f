// Generates PDFs in a separate thread, one at a time; src/pdf/printer.ts starts it. The main
// thread's hooks do not apply to other threads, so this one loads our TypeScript itself.
import '../loader.js'
import { deserialize } from 'node:v8'
import { parentPort } from 'node:worker_threads'

const { draw } = await import('./draw.ts')

// Errors are not caught: they end the thread and reach the printer, which starts a new one.
parentPort.on('message', (sheet) => void answer(sheet))

async function answer(sheet) {
  parentPort.postMessage(await draw(deserialize(sheet)))
}

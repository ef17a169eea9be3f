import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchNode } from '../server.ts'
import { fileBeside, idsOf, install, PASSWORD, ROWS, run, type SetUp } from './peer.ts'

const VERSION = '2.21.2'
const PACKAGES = {
  dependencies: {
    '@medusajs/admin-sdk': VERSION,
    '@medusajs/cli': VERSION,
    '@medusajs/framework': VERSION,
    '@medusajs/medusa': VERSION,
    '@swc/core': '1.7.28',
    'ts-node': '10.9.2',
    typescript: '5.8.3',
  },
}
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2021',
    module: 'Node16',
    moduleResolution: 'Node16',
    allowJs: true,
    esModuleInterop: true,
    skipLibCheck: true,
    outDir: './.medusa/server',
    rootDir: './',
  },
  exclude: ['node_modules', '.medusa'],
}
const MEDUSA = 'node_modules/@medusajs/cli/cli.js'

/** What medusa-fill.cjs writes. */
interface Made {
  secret: string
  publishable: string
  region: string
  profile: string
  channel: string
}

/** Sets up Medusa: the starter's backend with its defaults, built for production. */
export const setUpMedusa: SetUp = async ({ directory, connection }) => {
  const { user, password, host, database } = connection
  const socket = encodeURIComponent(host!)
  const keysFile = join(directory, 'keys.json')
  const environment = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    MEDUSA_DISABLE_TELEMETRY: 'true',
    PASSWORD,
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(`${password}`)}@${socket}/${database}`,
    ROWS: `${ROWS}`,
    KEYS_FILE: keysFile,
  }
  await install(directory, PACKAGES)
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  await copyFile(fileBeside('medusa-config.cjs'), join(directory, 'medusa-config.js'))
  await mkdir(join(directory, 'src/scripts'), { recursive: true })
  await copyFile(fileBeside('medusa-fill.cjs'), join(directory, 'src/scripts/fill.js'))
  await run(directory, process.execPath, [MEDUSA, 'build'], environment)
  // Instead of a second installation of the same packages.
  const built = join(directory, '.medusa/server')
  await symlink(join(directory, 'node_modules'), join(built, 'node_modules'))
  await run(built, process.execPath, [MEDUSA, 'db:migrate'], environment)
  await run(built, process.execPath, [MEDUSA, 'exec', './src/scripts/fill.js'], environment)
  const launched = await launchNode({
    args: [MEDUSA, 'start', '--host', '127.0.0.1'],
    cwd: built,
    environment,
    readyPath: '/health',
  })
  const made = JSON.parse(await readFile(keysFile, 'utf8')) as Made
  return { ...launched, requests: requestsOf(made, (select) => idsOf(connection, select)) }
}

function requestsOf(made: Made, idsIn: (select: string) => Promise<string[]>) {
  const basic = Buffer.from(`${made.secret}:`).toString('base64')
  const get = (paths: string[], expected: string) => ({
    method: 'GET' as const,
    paths,
    expected,
    headers: { authorization: `Basic ${basic}` },
  })
  const product = {
    title: 'Ankara shirt ########',
    status: 'published',
    shipping_profile_id: made.profile,
    sales_channels: [{ id: made.channel }],
    options: [{ title: 'Size', values: ['One'] }],
    variants: [
      {
        title: 'One',
        manage_inventory: false,
        options: { Size: 'One' },
        prices: [{ amount: 15_000.5, currency_code: 'eur' }],
      },
    ],
  }
  const cart = (variant_id: string) => ({
    region_id: made.region,
    items: [{ variant_id, quantity: 1 }],
  })
  return {
    get: [
      async () => {
        const ids = await idsIn(`select id from product limit ${ROWS}`)
        return get(
          ids.map((id) => `/admin/products/${id}`),
          '"product":{"id"',
        )
      },
    ],
    list: [async () => get(['/admin/products?limit=20&offset=0'], '"products":[{"id"')],
    create: [
      async () => ({
        ...get(['/admin/products'], '"product":{"id"'),
        method: 'POST' as const,
        bodies: [product],
      }),
    ],
    cart: [
      async () => ({
        method: 'POST' as const,
        paths: ['/store/carts'],
        expected: '"cart":{"id"',
        headers: { 'x-publishable-api-key': made.publishable },
        bodies: (await idsIn('select id from product_variant')).map(cart),
      }),
    ],
  }
}

// Runs Vendure with its default job queue in this process, as production does. With `fill`, creates
// the schema and the products first. The environment has PORT, CONNECTION and, with `fill`, ROWS.

const {
  bootstrap,
  DefaultJobQueuePlugin,
  DefaultLogger,
  FastImporterService,
  JobQueueService,
  LanguageCode,
  LogLevel,
  TaxCategory,
  TransactionalConnection,
} = require('@vendure/core')
const { populate } = require('@vendure/core/cli')

const { PORT, CONNECTION, PASSWORD, ROWS } = process.env
const isFilling = process.argv[2] === 'fill'
/** More at once are not faster. */
const AT_ONCE = 8

const config = {
  apiOptions: { port: Number(PORT), hostname: '127.0.0.1' },
  authOptions: {
    tokenMethod: 'bearer',
    cookieOptions: { secret: PASSWORD },
    superadminCredentials: { identifier: 'ada', password: PASSWORD },
  },
  dbConnectionOptions: { type: 'postgres', ...JSON.parse(CONNECTION), synchronize: isFilling },
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [DefaultJobQueuePlugin],
  logger: new DefaultLogger({ level: LogLevel.Warn }),
}

const initialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: 'Africa',
  taxRates: [{ name: 'Standard', percentage: 7.5 }],
  shippingMethods: [{ name: 'Standard', price: 1_500 }],
  paymentMethods: [],
  countries: [{ name: 'Nigeria', code: 'NG', zone: 'Africa' }],
  collections: [],
}

if (isFilling) void fill()
else void start()

async function start() {
  const app = await bootstrap(config)
  await app.get(JobQueueService).start()
}

async function fill() {
  const app = await populate(() => bootstrap(config), initialData)
  const connection = app.get(TransactionalConnection)
  const [{ id: taxCategoryId }] = await connection.rawConnection.getRepository(TaxCategory).find()
  const importer = app.get(FastImporterService)
  await importer.initialize()
  let next = 1
  const make = async () => {
    while (next <= Number(ROWS)) await makeProduct(importer, taxCategoryId, next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, make))
  // The importer leaves a second price, which belongs to no channel.
  await connection.rawConnection.query(
    'delete from product_variant_price where "channelId" is null',
  )
  await connection.rawConnection.query('vacuum analyze')
  await app.close()
  process.exit(0)
}

async function makeProduct(importer, taxCategoryId, n) {
  const texts = (name) => ({ languageCode: LanguageCode.en, name })
  const productId = await importer.createProduct({
    enabled: true,
    translations: [
      {
        ...texts(`Ankara shirt ${n}`),
        slug: `ankara-shirt-${n}`,
        description: 'Two metres of cotton, dyed with indigo, in one size.',
      },
    ],
  })
  await importer.createProductVariant({
    productId,
    taxCategoryId,
    sku: `ANK-${n}`,
    prices: [],
    price: 1_500_050,
    stockOnHand: 900_000,
    optionIds: [],
    facetValueIds: [],
    translations: [texts(`Ankara shirt ${n}`)],
  })
}

// The only script of the payer pages. Everything works without it. With it, the page follows the
// payment, counts down, and copies values with one tap. It has no dependencies and no globals.
const page = () => document.getElementById('page')
const announcer = document.getElementById('announcer')

/** Announces a message to screen readers, even if it is the same message twice in a row. */
function announce(words) {
  announcer.textContent = ''
  if (words) setTimeout(() => (announcer.textContent = words), 100)
}

// Following ---------------------------------------------------------------------------------------

// A proxy can hold back events, and a phone's connection can die without an error. The script
// therefore asks the server every `poll` seconds until the first event arrives, and occasionally
// after that.
const ASK_ANYWAY_MS = 30_000
let source
let heard = false
let asked = Date.now()
let timer
let swapping

/** Listens for changes as long as the page expects any. */
function follow() {
  const { live, poll } = page().dataset
  clearInterval(timer)
  if (!live) return source?.close()
  timer = setInterval(() => {
    if (!heard || Date.now() - asked > ASK_ANYWAY_MS) look().catch(() => {})
  }, poll * 1000)
  if (!window.EventSource || (source && source.readyState < 2)) return
  source = new EventSource(`${live}/live`)
  source.addEventListener('state', (event) => {
    heard = true
    compare(JSON.parse(event.data).version).catch(() => {})
  })
  source.addEventListener('error', () => (heard = false))
}

/** Checks for a change. If there is one, the promise resolves once the page shows the change. */
async function look() {
  asked = Date.now()
  const answer = await fetch(`${page().dataset.live}/state`)
  if (!answer.ok) throw new Error(`The state request returned ${answer.status}`)
  return compare((await answer.json()).version)
}

async function compare(version) {
  if (version === page().dataset.version) return false
  swapping ??= swap().finally(() => (swapping = undefined))
  await swapping
  return true
}

/**
 * Replaces the page with the new version. Keeps the scroll position, the focus and any unsent
 * choices.
 */
async function swap() {
  const answer = await fetch(location.pathname + location.search)
  if (!answer.ok) throw new Error(`The page request returned ${answer.status}`)
  put(new DOMParser().parseFromString(await answer.text(), 'text/html'))
  tick()
  follow()
}

function put(next) {
  const [before, after] = [page(), next.getElementById('page')]
  const [focused, top] = [document.activeElement, scrollY]
  const hadFocus = before.contains(focused)
  for (const select of before.querySelectorAll('#bank')) {
    const same = after.querySelector(`select[name="${select.name}"]`)
    const isChosen = select.value && !select.selectedOptions[0].defaultSelected
    if (same && isChosen) same.value = select.value
  }
  const [typed, empty] = [before.querySelector('#part'), after.querySelector('#part')]
  if (typed && empty && typed.value !== typed.defaultValue) empty.value = typed.value
  before.replaceWith(document.adoptNode(after))
  document.title = next.title
  // The payer may have chosen another language in another tab.
  document.documentElement.lang = next.documentElement.lang
  // The focused element may have gone. The amount then gets the focus, because it describes the new
  // state.
  const target = document.getElementById(focused.id) || document.getElementById('amount')
  if (hadFocus) target?.focus({ preventScroll: true })
  scrollTo({ top, behavior: 'instant' })
  if (after.dataset.announce !== before.dataset.announce) announce(after.dataset.announce)
}

// Counting down -----------------------------------------------------------------------------------

// Countdowns use the server's time, because the payer's clock may be wrong, and a test clock may be
// ahead.
const ahead = Number(page().dataset.now || Date.now()) - Date.now()

function tick() {
  for (const time of document.querySelectorAll('[data-until]')) {
    const left = Math.max(0, Math.ceil((time.dataset.until - Date.now() - ahead) / 1000))
    const [h, m, s] = [Math.trunc(left / 3600), Math.trunc(left / 60) % 60, left % 60]
    const two = (n) => String(n).padStart(2, '0')
    time.textContent = h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
    time.parentElement.classList.toggle('soon', left < 120)
  }
}

// Choosing goods ----------------------------------------------------------------------------------

const products = () => [...document.querySelectorAll('[data-product]')]
const shown = (where, what) => where.querySelector(`[data-shows="${what}"]`)
const isCount = (text) => /^\d{1,7}$/.test(text)
let totalsLocale

function money(minor) {
  const { locale, currency, decimals } = document.getElementById('totals').dataset
  const fraction = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  totalsLocale ??= new Intl.NumberFormat(locale, {
    ...{ style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...fraction },
  })
  return totalsLocale.format(`${minor}e-${decimals}`)
}

/** Finds the variant for the chosen options; undefined if that combination isn't sold. */
function kindOf(product) {
  const kinds = JSON.parse(product.dataset.kinds ?? 'null')
  if (!kinds) return { kinds, kind: { price: product.dataset.price } }
  const values = valuesOf(product)
  return { kinds, values, kind: kinds.find((one) => one.values.every((v, i) => v === values[i])) }
}

const fieldsOf = (product) =>
  [...product.querySelectorAll('[name^="o-"]')].filter((one) => one.type !== 'radio' || one.checked)
const valuesOf = (product) =>
  fieldsOf(product)
    .sort((a, b) => a.name.split('-')[2] - b.name.split('-')[2])
    .map(({ value }) => value)

/** Shows the price, stock and image of the chosen variant, and which values are available. */
function showKind(product) {
  const { kinds, values, kind } = kindOf(product)
  if (!kinds) return
  const isGone = !kind || kind.gone
  if (kind) shown(product, 'price').textContent = money(kind.price)
  shown(product, 'gone').hidden = !isGone
  const few = shown(product, 'few')
  few.hidden = isGone || !(kind.left < 10)
  few.textContent = few.dataset.words.replace('#', kind?.left)
  const count = product.querySelector(`#q-${product.dataset.product}`)
  count.max = kind?.left ?? 1_000_000
  for (const radio of product.querySelectorAll('[type="radio"]')) {
    const index = Number(radio.name.split('-')[2])
    const fits = kinds.some(
      (one) =>
        !one.gone && one.values.every((v, i) => v === (i === index ? radio.value : values[i])),
    )
    radio.parentElement.classList.toggle('out', !fits)
  }
  // If a variant has no image, the product's first image is shown.
  const hasPictures = kinds.some(({ picture }) => picture !== undefined)
  if (kind && hasPictures) scrollToPicture(product.dataset.product, kind.picture ?? 0)
}

function scrollToPicture(product, place) {
  const picture = document.getElementById(`picture-${product}-${place}`)
  const strip = picture?.parentElement
  const smooth = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
  strip?.scrollTo({ left: picture.offsetLeft - strip.offsetLeft, behavior: smooth })
}

/** Returns the price and quantity of each chosen variant of all products. */
function wanted() {
  return products().flatMap((product) => {
    const { kinds, kind } = kindOf(product)
    const lines = [...product.querySelectorAll('[name^="q-"]')].map((field) => {
      const [, , id] = field.name.split('-')
      const one = id ? kinds?.find((each) => String(each.id) === id) : kind
      const count = one && isCount(field.value) ? BigInt(field.value) : 0n
      return { product, minor: count * BigInt(one?.price ?? 0), count }
    })
    return lines.filter(({ count }) => count > 0n)
  })
}

/**
 * Adds up the order at the prices shown. The server recalculates the total, and only its result is
 * charged.
 */
function addUp() {
  const totals = document.getElementById('totals')
  if (!totals) return
  const lines = wanted()
  const sum = (some) => some.reduce((total, { minor }) => total + minor, 0n)
  const subtotal = sum(lines)
  const delivered = lines.filter(({ product }) => 'delivered' in product.dataset)
  const fee = deliveryOf(delivered)
  const off = discountOf(totals.dataset.terms, lines, sum)
  shown(totals, 'subtotal').textContent = money(subtotal)
  if (shown(totals, 'discount')) shown(totals, 'discount').textContent = `−${money(off)}`
  const delivery = shown(totals, 'delivery')
  delivery.parentElement.hidden = fee === undefined
  delivery.textContent = fee === null ? totals.dataset.unknown : money(fee ?? 0n)
  shown(totals, 'total').textContent = money(subtotal - off + (fee ?? 0n))
  const where = document.getElementById('delivery')
  if (!where || 'always' in where.dataset) return
  where.hidden = where.disabled = lines.length > 0 && delivered.length === 0
}

/**
 * Returns the highest fee, because everything is sent in one parcel. Returns null if the fee isn't
 * known yet, and undefined if there is none.
 */
function deliveryOf(lines) {
  const place = document.getElementById('deliveryLocation')?.value.toLowerCase()
  const fees = lines
    .map(({ product }) => new Map(JSON.parse(product.dataset.fees)))
    .filter(({ size }) => size > 0)
    .map((own) => own.get(place) ?? own.get('everywhere'))
  if (fees.length === 0) return undefined
  if (!place || fees.includes(undefined)) return null
  return fees.map(BigInt).reduce((most, one) => (one > most ? one : most))
}

function discountOf(text, lines, sum) {
  if (!text) return 0n
  const { type, value, max, min, products: ids } = JSON.parse(text)
  const eligible = sum(
    lines.filter(
      ({ product }) => ids.length === 0 || ids.includes(Number(product.dataset.product)),
    ),
  )
  if (min !== undefined && eligible < BigInt(min)) return 0n
  const off = type === 'percentage' ? (eligible * BigInt(value) + 5000n) / 10_000n : BigInt(value)
  return [off, eligible, BigInt(max ?? off)].reduce((a, b) => (b < a ? b : a))
}

const choose = () => {
  products().forEach(showKind)
  addUp()
}
if (document.getElementById('totals')) {
  choose()
  document.addEventListener('input', (event) => {
    const product = event.target.closest('[data-product]')
    if (product && event.target.name.startsWith('o-')) showKind(product)
    addUp()
  })
  // After going back in the browser, fields are restored, so this runs again.
  addEventListener('pageshow', choose)
}

/** Handles the buttons next to a quantity. */
function step(button) {
  const field = button.parentElement.querySelector('input')
  const next = Number(field.value || 0) + Number(button.dataset.step)
  field.value = Math.min(Math.max(next, Number(field.min)), Number(field.max))
  addUp()
}

/**
 * Submits the form with a button that only changes the form, and shows the result without leaving
 * the page.
 */
async function redo(form, button) {
  const body = new URLSearchParams(new FormData(form, button))
  try {
    const answer = await fetch(form.action, { method: 'POST', body })
    put(new DOMParser().parseFromString(await answer.text(), 'text/html'))
    choose()
    announce(document.querySelector('.fault, .code .soft')?.textContent)
  } catch {
    button.type = 'submit'
    form.dataset.plain = 'yes'
    form.requestSubmit(button)
  }
}

// Amounts ----------------------------------------------------------------------------------------

// Typing replaces the amount in the field.
document.addEventListener('focusin', ({ target }) => {
  if (target.dataset?.money !== undefined) setTimeout(() => target.select())
})

// The payer pays either a suggested amount or the one in the field.
document.addEventListener('input', ({ target: { form, name, value } }) => {
  if (name === 'suggested') form.elements.amount.value = ''
  if (name !== 'amount' || !value) return
  for (const pick of form.querySelectorAll('[name="suggested"]')) pick.checked = false
})

/**
 * Adds thousands separators to the typed amount. Anything that isn't a plain amount stays as typed.
 */
document.addEventListener('change', ({ target }) => {
  if (target.dataset?.money === undefined) return
  const plain = target.value.replace(/[\s₦]/g, '')
  if (!/^\d{1,3}(,?\d{3})*(\.\d{1,2})?$/.test(plain) && !/^\d+(\.\d{1,2})?$/.test(plain)) return
  const [whole, fraction] = plain.replaceAll(',', '').split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  target.value = fraction ? `${grouped}.${fraction.padEnd(2, '0')}` : grouped
})

// Pressing ----------------------------------------------------------------------------------------

async function copy(button) {
  const { copy: text, copied, announce: words } = button.dataset
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Pages served over plain HTTP on a local network have no clipboard API, so the text is
    // selected and copied in the old way.
    getSelection().selectAllChildren(button.parentElement.querySelector('.value'))
    if (!document.execCommand('copy')) return
  }
  button.dataset.label ??= button.textContent
  button.textContent = copied
  announce(words)
  setTimeout(() => (button.textContent = button.dataset.label), 2000)
}

async function check(link) {
  const line = document.querySelector('[data-checked]')
  const changed = await look().catch(() => location.assign(link.href))
  if (changed === false) {
    line.textContent = line.dataset.checked
    announce(line.dataset.checked)
  }
}

document.addEventListener('click', (event) => {
  const pressed = event.target.closest(
    '[data-copy], [data-print], [data-check], [data-step], .thumbs a',
  )
  if (!pressed || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  if ('copy' in pressed.dataset) void copy(pressed)
  else if ('print' in pressed.dataset) print()
  else if ('step' in pressed.dataset) step(pressed)
  else if (pressed.hash) scrollToPicture(...pressed.hash.split('-').slice(1))
  else void check(pressed)
})

// On a slow network, a second tap would submit the form twice. If the payer stops the page from
// loading, the form stays on the screen and must work again.
const SENT_MS = 10_000
document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (submitter?.name === 'do' && !form.dataset.plain) {
    event.preventDefault()
    return void redo(form, submitter)
  }
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = 'yes'
  setTimeout(() => delete form.dataset.sent, SENT_MS)
})
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})

// Phones suspend pages in the background, for example while the payer dials.
document.addEventListener('visibilitychange', () => {
  if (document.hidden || !page().dataset.live) return
  look().catch(() => {})
  follow()
})

if (page().dataset.version) {
  setInterval(tick, 1000)
  follow()
}

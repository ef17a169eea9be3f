import type { Answer, DoubleRequest } from '../double.ts'
import {
  type Account,
  type Customer,
  codeOf,
  customerJson,
  customerOf,
  type DedicatedAccount,
  domainOf,
  INTEGRATION,
  isoOf,
  listAnswer,
  ok,
  plainRefusal,
  type Recipient,
  refuse,
} from './account.ts'
import { BANKS, bankByCode, OWN_BANK } from './banks.ts'

/** Banks, account names, recipients, customers and their permanent accounts. */
export function accountOperations(account: Account) {
  return {
    'GET /bank': (request: DoubleRequest) => {
      const { query } = request
      const at = '2016-07-14T10:04:29.000Z'
      const isWanted = !query.country || query.country === 'nigeria'
      return listAnswer(account, 'Banks retrieved', isWanted ? BANKS : [], request, (bank) => ({
        id: bank.id,
        name: bank.name,
        slug: bank.slug,
        code: bank.code,
        longcode: `${bank.code}150000`,
        gateway: null,
        pay_with_bank: false,
        supports_transfer: true,
        available_for_direct_debit: false,
        active: true,
        is_deleted: null,
        country: 'Nigeria',
        currency: 'NGN',
        type: 'nuban',
        ...(query.include_nip_sort_code === 'true' && { nip_sort_code: bank.nip }),
        createdAt: at,
        updatedAt: at,
      }))
    },
    'GET /bank/resolve': ({ query }: DoubleRequest) => resolve(query),
    'POST /transferrecipient': (request: DoubleRequest) => addRecipient(account, request),
    'POST /customer': ({ body }: DoubleRequest) => {
      const customer = customerOf(account, body.email)
      const given = {
        firstName: body.first_name,
        lastName: body.last_name,
        phone: body.phone,
      }
      for (const [key, value] of Object.entries(given)) {
        if (value !== undefined) Object.assign(customer, { [key]: value })
      }
      return ok('Customer created', {
        ...customerJson(customer),
        transactions: [],
        subscriptions: [],
        authorizations: [],
        integration: INTEGRATION,
        domain: domainOf(account),
        identified: false,
        identifications: null,
        createdAt: isoOf(customer.createdAt),
        updatedAt: isoOf(customer.createdAt),
      })
    },
    'POST /dedicated_account': (request: DoubleRequest) => openDedicated(account, request),
    'GET /dedicated_account': (request: DoubleRequest) =>
      listAnswer(
        account,
        'Managed accounts successfully retrieved',
        account.dedicated,
        request,
        (one) => ({
          ...dedicatedJson(one),
          split_config: null,
        }),
      ),
    'GET /dedicated_account/{id}': ({ params }: DoubleRequest) => {
      const found = account.dedicated.find(({ id }) => `${id}` === params.id)
      if (!found) return plainRefusal(404, 'Dedicated account not found')
      return ok('Customer retrieved', { ...dedicatedJson(found), split_config: null })
    },
  }
}

/** Every account of ten digits has a name, but for those that begin with 9999. */
function resolve({ account_number: number = '', bank_code: code = '' }): Answer {
  if (!bankByCode(code)) return refuse(422, `Unknown bank code: ${code}`, 'invalid_bank_code')
  if (!/^\d{10}$/.test(number) || number.startsWith('9999')) {
    const message = 'Could not resolve account name. Check parameters or try again.'
    return refuse(422, message, 'invalid_bank_code')
  }
  return ok('Account number resolved', {
    account_number: number,
    account_name: `ACCOUNT HOLDER ${number.slice(-4)}`,
  })
}

function addRecipient(account: Account, { body }: DoubleRequest): Answer {
  const { recipients, kit } = account
  const { account_number: accountNumber, bank_code: bankCode, name, currency = 'NGN' } = body
  const bank = bankByCode(bankCode)
  if (!bank || body.type !== 'nuban' || !/^\d{10}$/.test(accountNumber)) {
    return refuse(400, 'Account details are invalid', 'invalid_account_details')
  }
  let recipient = recipients.find(
    (one) => one.accountNumber === accountNumber && one.bankCode === bankCode,
  )
  if (!recipient) {
    const id = kit.nextId()
    recipient = {
      id,
      code: codeOf('RCP', id),
      name,
      accountNumber,
      bankCode,
      bankName: bank.name,
      currency,
      createdAt: kit.clock.now(),
    }
    recipients.push(recipient)
  }
  const message = 'Transfer recipient created successfully'
  return { ...ok(message, recipientJson(account, recipient)), status: 201 }
}

export function recipientJson(account: Account, recipient: Recipient) {
  const at = isoOf(recipient.createdAt)
  return {
    active: true,
    createdAt: at,
    currency: recipient.currency,
    description: null,
    domain: domainOf(account),
    email: null,
    id: recipient.id,
    integration: INTEGRATION,
    metadata: null,
    name: recipient.name,
    recipient_code: recipient.code,
    type: 'nuban',
    updatedAt: at,
    is_deleted: false,
    isDeleted: false,
    details: {
      authorization_code: null,
      account_number: recipient.accountNumber,
      account_name: recipient.name,
      bank_code: recipient.bankCode,
      bank_name: recipient.bankName,
    },
  }
}

function openDedicated(account: Account, { body }: DoubleRequest): Answer {
  const { customers, dedicated, kit } = account
  const customer = customers.find((one) => [one.code, `${one.id}`].includes(body.customer))
  if (!customer) return refuse(404, 'Customer not found', 'not_found')
  if (!customer.firstName || !customer.lastName || !customer.phone) {
    return refuse(400, 'Customer first name, last name and phone are required', 'invalid_params')
  }
  let opened = dedicated.find((one) => one.customer === customer)
  if (!opened) {
    const id = kit.nextId()
    const number = `99${String(id).padStart(8, '0')}`
    opened = { id, number, bank: OWN_BANK, customer, createdAt: kit.clock.now() }
    dedicated.push(opened)
  }
  return ok('NUBAN successfully created', {
    ...dedicatedJson(opened),
    metadata: null,
    assignment: {
      integration: INTEGRATION,
      assignee_id: customer.id,
      assignee_type: 'Customer',
      expired: false,
      account_type: 'PAY-WITH-TRANSFER-RECURRING',
      assigned_at: isoOf(opened.createdAt),
      expired_at: null,
    },
  })
}

function dedicatedJson({ id, number, bank, customer, createdAt }: DedicatedAccount) {
  return {
    id,
    bank,
    account_number: number,
    account_name: `SHOP/${nameOf(customer)}`,
    assigned: true,
    active: true,
    currency: 'NGN',
    customer: customerJson(customer),
    created_at: isoOf(createdAt),
    updated_at: isoOf(createdAt),
  }
}

const nameOf = ({ firstName, lastName }: Customer) => `${firstName} ${lastName}`.toUpperCase()

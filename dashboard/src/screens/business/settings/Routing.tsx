import {
  ActionIcon,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useMode } from '../../../api/history.ts'
import { act, type Envelope, useOperation } from '../../../api/hooks.ts'
import type { Provider } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at, type Data, type Input } from '../../../api/request.ts'
import { BankSelect } from '../../../ui/BankAccount.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Failure, LoadingRows } from '../../../ui/feedback.tsx'
import { FormModal } from '../../../ui/forms.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import type { FormState } from '../../../ui/use-form.ts'
import { money, percent } from '../../../ui/values.tsx'
import {
  byService,
  hasAmount,
  hasBank,
  listed,
  orderName,
  type Service,
  serviceName,
  skippedBecause,
} from '../providers/names.ts'
import { SettingsPart } from './SettingForm.tsx'

type Route = Data<'get_routing'>['routes'][number]
type RouteInput = Input<'change_routing'>['routes'][number]

/** Which connection gets a new order. */
export function Routing({ connections }: { connections: Provider[] }) {
  const read = useOperation('get_routing')
  const may = usePermission()
  const [edited, edit] = useState<Service>()
  const routes = read.data?.data.routes
  const services = [...new Set(connections.flatMap(({ settings }) => settings.services))]
  return (
    <>
      <SettingsPart
        id="routing"
        title="Routing rules"
        about="Which connection gets a new order. If it cannot take the order, the next one does. An order stays with a provider that may already have it."
      >
        {routes ? (
          <div className="provider-rows">
            {services.sort(byService).map((service) => (
              <div key={service} className="row-card">
                <div className="row-parts">
                  <Stack gap={4} className="row-words">
                    <Text span fw={600}>
                      {serviceName(service)}
                    </Text>
                    <Rules
                      routes={routes.filter((one) => one.service === service)}
                      connections={connections}
                    />
                  </Stack>
                  {may('providers:write') && (
                    <ActionButton
                      label="Edit rules"
                      size="xs"
                      aria-label={`Edit rules: ${serviceName(service)}`}
                      onClick={() => edit(service)}
                    />
                  )}
                </div>
              </div>
            ))}
          </div>
        ) : read.isPending ? (
          <LoadingRows count={3} />
        ) : (
          <Failure error={read.error} again={() => void read.refetch()} />
        )}
      </SettingsPart>
      <Preview services={services} />
      {edited && routes && (
        <RulesForm
          service={edited}
          routes={routes}
          connections={connections}
          onClose={() => edit(undefined)}
        />
      )}
    </>
  )
}

interface RulesProps {
  routes: Route[]
  connections: Provider[]
}

function Rules({ routes, connections }: RulesProps) {
  const mode = useMode()
  const nameOf = useBankNames()
  if (routes.length === 0) {
    return (
      <Text span size="sm" c="dimmed">
        {mode === 'test' ? 'The simulator' : 'No connection: this is not available'}
      </Text>
    )
  }
  const active = routes.filter(({ isActive }) => isActive)
  return routes.map((route) => {
    const { connectionId, currency, isActive, priority, weight } = route
    const name = connections.find(({ id }) => id === connectionId)?.name ?? `${connectionId}`
    const rivals = active.filter((one) => one.priority === priority)
    const sum = rivals.reduce((total, one) => total + one.weight, 0)
    const place = [...new Set(active.map((one) => one.priority))].sort((a, b) => a - b)
    const parts = [
      isActive && rivals.length > 1 && percent(weight / sum),
      rangeOf(route),
      currency !== 'NGN' && currency,
      route.banks.length > 0 && listed(route.banks.map(nameOf)),
      !isActive && 'turned off',
    ].filter(Boolean)
    return (
      <Text key={`${connectionId} ${priority} ${rangeOf(route)}`} span size="sm" display="block">
        {isActive && place.length > 1 && `${place.indexOf(priority) + 1}. `}
        {name}
        {parts.length > 0 && (
          <Text span c="dimmed" inherit>
            {' '}
            · {parts.join(' · ')}
          </Text>
        )}
      </Text>
    )
  })
}

function rangeOf({ leastAmount: least, mostAmount: most, currency }: Route): string {
  if (most === null) return least === 0 ? '' : `from ${money(least, currency)}`
  return least === 0
    ? `up to ${money(most, currency)}`
    : `${money(least, currency)} to ${money(most, currency)}`
}

/** Returns a function that returns the name of a bank. */
function useBankNames(): (code: string) => string {
  const { data } = useOperation('list_banks')
  const names = new Map(data?.data.map(({ code, name }) => [code, name]))
  return (code) => names.get(code) ?? code
}

// ---------------------------------------------------------------------------- the editor

interface Rule {
  service: Service
  currency: string
  connectionId: string
  priority: number
  weight: number
  leastAmount: number | string
  mostAmount: number | string
  banks: string[]
  isActive: boolean
}

/** The rules of all services, because the server stores them as a whole. */
interface Values extends Record<string, unknown> {
  routes: Rule[]
}

const ruleOf = ({ leastAmount, mostAmount, connectionId, ...rest }: Route): Rule => ({
  service: rest.service,
  currency: rest.currency,
  connectionId: String(connectionId),
  priority: rest.priority,
  weight: rest.weight,
  leastAmount: leastAmount === 0 ? '' : leastAmount,
  mostAmount: mostAmount ?? '',
  banks: rest.banks,
  isActive: rest.isActive,
})

const routeOf = ({ leastAmount, mostAmount, connectionId, ...rest }: Rule): RouteInput => ({
  ...rest,
  connectionId: Number(connectionId),
  leastAmount: leastAmount === '' ? null : leastAmount,
  mostAmount: mostAmount === '' ? null : mostAmount,
})

function RulesForm({
  service,
  routes,
  connections,
  onClose,
}: RulesProps & { service: Service; onClose(): void }) {
  const usable = connections.filter(({ settings }) => settings.services.includes(service))
  return (
    <FormModal<Values>
      title={`Rules: ${serviceName(service)}`}
      opened
      onClose={onClose}
      size="lg"
      initial={{ routes: routes.map(ruleOf) }}
      edits={{
        ...at('get_routing'),
        valuesOf: ({ data }: Envelope<Data<'get_routing'>>) => ({
          routes: data.routes.map(ruleOf),
        }),
        labels: { routes: 'Rules' },
      }}
      action={act('change_routing', {
        input: (values: Values) => ({ routes: values.routes.map(routeOf) }),
        done: 'Rules saved. They apply to new orders.',
      })}
      verb="Save rules"
    >
      {(form) => <Editor form={form} service={service} usable={usable} />}
    </FormModal>
  )
}

interface EditorProps {
  form: FormState<Values>
  service: Service
  usable: Provider[]
}

function Editor({ form, service, usable }: EditorProps) {
  const all = form.values.routes
  const shown = all.map((rule, i) => ({ rule, i })).filter(({ rule }) => rule.service === service)
  const unused = usable.find(({ id }) => shown.every(({ rule }) => rule.connectionId !== `${id}`))
  const last = Math.max(0, ...shown.map(({ rule }) => rule.priority))
  const add = () =>
    form.insertListItem('routes', {
      service,
      currency: 'NGN',
      connectionId: String((unused ?? usable[0])?.id ?? ''),
      priority: Math.min(last + 1, 100),
      weight: 1,
      leastAmount: '',
      mostAmount: '',
      banks: [],
      isActive: true,
    } satisfies Rule)
  return (
    <>
      <Text size="sm" c="dimmed">
        The rule with the lowest place is used first. Rules with the same place share the orders by
        their weights.
      </Text>
      {shown.length === 0 && <Text size="sm">There are no rules, so nothing is sent.</Text>}
      {shown.map(({ rule, i }, n) => (
        <RuleFields
          key={i}
          form={form}
          at={i}
          usable={usable}
          rule={rule}
          title={`Rule ${n + 1} of ${shown.length}`}
        />
      ))}
      {usable.length > 0 && (
        <div>
          <ActionButton icon={IconPlus} label="Add rule" size="xs" onClick={add} />
        </div>
      )}
    </>
  )
}

function RuleFields({
  form,
  at: i,
  usable,
  rule,
  title,
}: Pick<EditorProps, 'form' | 'usable'> & { at: number; rule: Rule; title: string }) {
  const { data } = useOperation('list_banks')
  const name = usable.find(({ id }) => String(id) === rule.connectionId)?.name
  return (
    <Fieldset legend={title} className="provider-rule">
      <Stack gap="sm">
        <Group align="flex-end" wrap="nowrap">
          <Select
            label="Connection"
            flex={1}
            data={usable.map((one) => ({ value: String(one.id), label: one.name }))}
            allowDeselect={false}
            {...form.field(`routes.${i}.connectionId`)}
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={`Remove rule for ${name ?? 'connection'}`}
            onClick={() => form.removeListItem('routes', i)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
        <SimpleGrid cols={2} spacing="sm">
          <NumberInput
            label="Place"
            min={1}
            max={100}
            allowDecimal={false}
            {...form.field(`routes.${i}.priority`)}
          />
          <NumberInput
            label="Weight"
            min={1}
            max={1000}
            allowDecimal={false}
            {...form.field(`routes.${i}.weight`)}
          />
          {hasAmount(rule.service) && (
            <>
              <MoneyInput
                label="From"
                placeholder="Any"
                currency={rule.currency}
                {...form.field(`routes.${i}.leastAmount`)}
              />
              <MoneyInput
                label="Up to"
                placeholder="Any"
                currency={rule.currency}
                {...form.field(`routes.${i}.mostAmount`)}
              />
            </>
          )}
        </SimpleGrid>
        {hasBank(rule.service) && (
          <MultiSelect
            label="Banks"
            placeholder={rule.banks.length === 0 ? 'Every bank' : undefined}
            data={(data?.data ?? []).map(({ code, name: label }) => ({ value: code, label }))}
            searchable
            hidePickedOptions
            limit={60}
            maxDropdownHeight={220}
            {...form.field(`routes.${i}.banks`)}
          />
        )}
        <Switch label="Use this rule" {...form.checkbox(`routes.${i}.isActive`)} />
      </Stack>
    </Fieldset>
  )
}

// --------------------------------------------------------------------------- the preview

/** Says which connection an order would go through now. */
function Preview({ services }: { services: Service[] }) {
  const [chosen, choose] = useState<Service>()
  const [amount, setAmount] = useState<number | string>(5000)
  const [bankCode, setBank] = useState<string | null>(null)
  const service =
    chosen ?? (services.includes('PAYOUTS') ? 'PAYOUTS' : (services[0] ?? 'BANK_TRANSFER'))
  return (
    <SettingsPart
      id="preview"
      title="Try the rules"
      about="Shows where an order would go now. Nothing is sent."
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          <Select
            label="Kind of order"
            data={services.map((one) => ({ value: one, label: orderName(one) }))}
            value={service}
            allowDeselect={false}
            onChange={(value) => choose(services.find((one) => one === value))}
          />
          {hasAmount(service) && <MoneyInput label="Amount" value={amount} onChange={setAmount} />}
          {hasBank(service) && (
            <BankSelect
              label={service === 'USSD' ? 'Payer’s bank' : 'Bank'}
              placeholder="Any bank"
              clearable
              value={bankCode}
              onChange={setBank}
            />
          )}
        </SimpleGrid>
        <Result
          service={service}
          amount={hasAmount(service) ? Number(amount) : 0}
          bankCode={hasBank(service) ? bankCode : null}
        />
      </Stack>
    </SettingsPart>
  )
}

interface Asked {
  service: Service
  amount: number
  bankCode: string | null
}

function Result({ service, amount, bankCode }: Asked) {
  const nameOf = useBankNames()
  const { data, error } = useOperation(
    'preview_routing',
    { service, ...(amount > 0 && { amount }), ...(bankCode && { bankCode }) },
    { keepsPrevious: true },
  )
  if (error) return <Failure error={error} />
  const preview = data?.data
  if (!preview) return <div aria-busy="true" className="provider-preview" />
  const { candidates, skipped } = preview
  const first = candidates.filter(({ share }) => share > 0)
  const after = candidates.filter(({ share }) => share === 0)
  const subject = subjectOf({ service, amount, bankCode }, nameOf)
  const isWaiting = first.length > 0 && first.every(({ isSuspended }) => isSuspended)
  const names = first.map(({ name, share }) => (share < 1 ? `${name} (${percent(share)})` : name))
  return (
    <div className="provider-preview" role="status">
      <Text fw={600}>
        {first.length === 0
          ? `${subject} would not be possible: no connection can take it.`
          : `${subject} would ${isWaiting ? 'wait for' : 'go through'} ${names.join(' or ')}.`}
      </Text>
      {isWaiting && (
        <Text size="sm">Its last calls failed. It is tried again, and then gets the transfer.</Text>
      )}
      {after.length > 0 && (
        <Text size="sm">
          If that is not possible: {after.map(({ name }) => name).join(', then ')}.
        </Text>
      )}
      {skipped.map(({ connectionId, name, why }) => (
        <Text key={connectionId} size="sm" c="dimmed">
          Not {name}: {skippedBecause(why)}.
        </Text>
      ))}
    </div>
  )
}

function subjectOf({ service, amount, bankCode }: Asked, nameOf: (code: string) => string): string {
  const sum = amount > 0 ? money(amount) : 'Any amount'
  const bank = bankCode && nameOf(bankCode)
  if (service === 'PAYOUTS') return `${sum} to ${bank ?? 'any bank'}`
  if (service === 'USSD') return `${sum} by USSD${bank ? ` from ${bank}` : ''}`
  if (service === 'UTILITY') return `${sum} for a bill`
  if (service === 'ACCOUNTS') return 'The lookup of an account name'
  return `${sum} by ${serviceName(service).toLowerCase()}`
}

import { ActionIcon, Button, Group, Pill, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { Product } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/products.ts'

/** The plain family alone has the options of products. */
const PATH = '/api/payment-service/v1/products'

type Option = Product['options'][number]

/** What buyers choose of a product: its sizes, its colours. */
export function Options({ of: { productId, options } }: { of: Product }) {
  const writes = useMay()('products:write')
  const [isAdding, adding] = useDisclosure(false)
  if (options.length === 0 && !writes) return null
  return (
    <Card
      title={t.options}
      actions={
        writes &&
        options.length < 3 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={adding.open}
          >
            {t.addAnOption}
          </Button>
        )
      }
    >
      {options.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.sizesColoursAndTheLikeEach}
        </Text>
      ) : (
        <Stack gap="md">
          {options.map((option) => (
            <OneOption key={option.optionId} of={option} productId={productId} writes={writes} />
          ))}
        </Stack>
      )}
      <FormModal<{ name: string; values: string[] }>
        title={t.addAnOption}
        opened={isAdding}
        onClose={adding.close}
        initial={{ name: '', values: [] }}
        action={{
          path: `${PATH}/add-product-options`,
          send: (option) => ({ productId, options: [option] }),
          done: t.theOptionIsAdded,
        }}
        validate={{
          name: (name: string) => (name.trim() ? null : t.whatIsChosenSuchAs),
          values: (values: string[]) => (values.length > 0 ? null : t.atLeastOne),
        }}
        verb={t.addTheOption}
      >
        {(form) => (
          <>
            <TextInput
              label={t.name}
              placeholder={t.size}
              data-autofocus
              required
              {...form.getInputProps('name')}
            />
            <TagsInput
              label={t.values}
              description={t.typeOneThenPressEnter}
              required
              {...form.getInputProps('values')}
            />
          </>
        )}
      </FormModal>
    </Card>
  )
}

function OneOption({
  of: { optionId, name, values },
  productId,
  writes,
}: {
  of: Option
  productId: string
  writes: boolean
}) {
  const [value, setValue] = useState('')
  const add = useAction<unknown, string>({
    path: `${PATH}/add-product-option-variant`,
    send: (added) => ({ productId, optionId, value: added }),
    done: t.theValueIsAdded,
  })
  const removeValue = useAction<unknown, number>({
    path: `${PATH}/delete-product-option-variant`,
    send: (optionVariantId) => ({ productId, optionId, optionVariantId }),
    done: t.theValueIsDeleted,
  })
  const remove = useAction({
    path: `${PATH}/delete-product-options`,
    send: () => ({ productId, optionId }),
    done: t.theOptionIsDeleted,
  })
  const sure = (title: string, text: string, go: () => void) =>
    confirm({ title, text, verb: t.deleteIt, isDangerous: true, go })
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{name}</Text>
        {writes && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.deleteTheOption(name)}
            onClick={() =>
              sure(
                `Delete the option ${name}?`,
                'Variants that are then alike become one, with the stock of all.',
                () => remove.mutate(),
              )
            }
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
      <Group gap="xs">
        {values.map(({ optionVariantId, value: one }) => (
          <Pill
            key={optionVariantId}
            size="md"
            withRemoveButton={writes && values.length > 1}
            removeButtonProps={{ 'aria-label': `Delete ${one}`, 'aria-hidden': false, tabIndex: 0 }}
            onRemove={() =>
              sure(`Delete ${one}?`, 'Its variants go with what there is of them.', () =>
                removeValue.mutate(optionVariantId),
              )
            }
          >
            {one}
          </Pill>
        ))}
      </Group>
      {writes && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (value.trim()) add.mutate(value.trim(), { onSuccess: () => setValue('') })
          }}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              size="xs"
              aria-label={t.anotherValueOf(name)}
              placeholder={t.anotherValue}
              value={value}
              error={Object.values(add.error?.fields ?? {})[0]?.[0]}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
            <Button size="xs" variant="default" type="submit" loading={add.isPending}>
              {t.add}
            </Button>
          </Group>
        </form>
      )}
    </Stack>
  )
}

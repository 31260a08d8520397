import numpy as np

from llt.training.epoch_order import epoch_order


def test_every_item_once_per_epoch():
    items, symmetries = epoch_order(0, 3, num_items=12, batch_size=4, num_symmetries=8)
    assert sorted(items.ravel()) == list(range(12))
    assert symmetries.shape == (3, 4)
    assert set(symmetries.ravel()) <= set(range(8))


def test_every_symmetry_is_drawn_for_single_items():
    _, symmetries = epoch_order(0, 0, num_items=200, batch_size=4, num_symmetries=8)
    assert set(symmetries.ravel()) == set(range(8))
    assert any(len(set(row)) > 1 for row in symmetries)


def test_leftover_items_change_from_epoch_to_epoch():
    used = [set(epoch_order(0, e, num_items=10, batch_size=4)[0].ravel()) for e in range(20)]
    assert all(len(items) == 8 for items in used)
    assert set.union(*used) == set(range(10))


def test_order_is_a_function_of_seed_and_epoch():
    def order(seed, epoch):
        return epoch_order(seed, epoch, num_items=50, batch_size=5)[0]

    assert np.array_equal(order(1, 2), order(1, 2))
    assert not np.array_equal(order(1, 2), order(2, 2))
    assert not np.array_equal(order(1, 2), order(1, 3))

"""Options and assets of saved models."""

import pytest

import tfcore as tf


def test_an_asset_is_copied_by_a_builder(tmp_path):
    vocabulary = tmp_path / "words.txt"
    vocabulary.write_text("a\nb\n")
    with tf.Graph().as_default(), tf.Session() as sess:
        asset = tf.saved_model.Asset(str(vocabulary))
        assert sess.run(asset.asset_path) == str(vocabulary).encode()
        builder = tf.saved_model.Builder(str(tmp_path / "model"))
        assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        builder.add_meta_graph_and_variables(sess, ["serve"], assets_collection=assets)
        builder.save()
    assert (tmp_path / "model" / "assets" / "words.txt").read_text() == "a\nb\n"


def test_options():
    options = tf.saved_model.SaveOptions(["MyOps"], experimental_variable_policy="SAVE_variable_devices")
    assert options.namespace_whitelist == ["MyOps"] and options.function_aliases == {}
    policy = tf.saved_model.experimental.VariablePolicy
    assert options.experimental_variable_policy is policy.SAVE_VARIABLE_DEVICES
    assert tf.saved_model.SaveOptions().experimental_variable_policy is policy.NONE
    with pytest.raises(ValueError, match="'other' is not a valid VariablePolicy"):
        tf.saved_model.SaveOptions(experimental_variable_policy="other")


@pytest.mark.parametrize("name", ["enable_async", "experimental_skip_slot_variables", "experimental_write_callbacks"])
def test_options_of_checkpoints(name):
    assert tf.train.CheckpointOptions("/cpu:0").experimental_io_device == "/cpu:0"
    with pytest.raises(tf.errors.UnimplementedError, match=rf"CheckpointOptions\({name}=True\) is not implemented"):
        tf.train.CheckpointOptions(**{name: True})

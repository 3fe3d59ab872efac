#include "kernels/repack/repack_launches.h"

#include <vector>

#include "gtest/gtest.h"
#include "kernels/repack/repack_testing.h"

namespace tiletune {
namespace {

const RepackArguments kNothing;

std::vector<RepackLaunch> Launches(const RepackArguments& a,
                                   const RepackArguments& b) {
  const RepackLaunches launches(a, b);
  return {launches.begin(), launches.end()};
}

TEST(PackedRowStride, OfLongRowsIsAMultipleOf128Bytes) {
  EXPECT_EQ(PackedRowStride(64, 2), 64);
  EXPECT_EQ(PackedRowStride(65, 2), 128);
  EXPECT_EQ(PackedRowStride(4097, 2), 4160);
  EXPECT_EQ(PackedRowStride(128, 1), 128);
  EXPECT_EQ(PackedRowStride(129, 1), 256);
}

TEST(PackedRowStride, LetsShortRowsReachOverNoLine) {
  for (const int32_t bytes : {1, 2}) {
    for (int64_t columns = 1; columns <= 128 / bytes; ++columns) {
      const int64_t stride = PackedRowStride(columns, bytes) * bytes;
      EXPECT_GE(stride, columns * bytes);
      EXPECT_LT(stride, columns * bytes * 2 + 16);
      EXPECT_EQ(stride % 16, 0);
      EXPECT_EQ(128 % stride, 0);
    }
  }
}

TEST(RepackLaunches, CopiesTheRowsOfBothInOneLaunch) {
  const std::vector<RepackLaunch> launches =
      Launches(PackedMatrix(100, 70), PackedMatrix(7, 1025));
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, RepackKernel::kCopyRows);
  // 100 rows of one segment (1 KiB), 7 of three; eight warps a CTA.
  EXPECT_EQ(launches[0].rows.copies[0].tasks, 100);
  EXPECT_EQ(launches[0].rows.copies[1].tasks, 21);
  EXPECT_EQ(launches[0].ctas, 16u);
}

TEST(RepackLaunches, CountsRowsInBytes) {
  RepackArguments r = PackedMatrix(10, 70);
  r.batches = 3;
  r.source_stride = 75;
  r.source_batch_stride = 800;
  r.destination_batch_stride = 720;
  const RowCopy& c = Launches(kNothing, r).at(0).rows.copies[1];
  EXPECT_EQ(c.row_bytes, 140);
  EXPECT_EQ(c.source_stride, 150);
  EXPECT_EQ(c.source_batch_stride, 1600);
  EXPECT_EQ(c.source_bytes, 9 * 150 + 140);  // ends with its last row
  EXPECT_EQ(c.destination_stride, 256);
  EXPECT_EQ(c.destination_batch_stride, 1440);
  EXPECT_EQ(c.tasks, 30);
}

TEST(RepackLaunches, TransposesEachInALaunchAheadOfTheRows) {
  RepackArguments bytes = PackedMatrix(65, 64, true);
  bytes.element_bytes = 1;
  std::vector<RepackLaunch> launches =
      Launches(bytes, PackedMatrix(64, 129, true));
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, RepackKernel::kTransposeBytes);
  EXPECT_EQ(launches[0].ctas, 2u);  // tiles of 64 x 64
  EXPECT_EQ(launches[1].kernel, RepackKernel::kTransposeWords);
  EXPECT_EQ(launches[1].ctas, 3u);
  EXPECT_EQ(launches[1].transpose.inner, 129);

  launches = Launches(PackedMatrix(8, 8), bytes);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, RepackKernel::kTransposeBytes);
  EXPECT_EQ(launches[1].kernel, RepackKernel::kCopyRows);
}

TEST(RepackLaunches, LowerTheCleanBlocksToTheFewerOfBoth) {
  uint32_t clean;
  RepackArguments few = PackedMatrix(8, 8), many = PackedMatrix(8, 8);
  few.clean = many.clean = &clean;
  few.clean_blocks = 3;
  many.clean_blocks = 5;
  EXPECT_EQ(Launches(few, many).at(0).rows.clean, &clean);
  EXPECT_EQ(Launches(few, many).at(0).rows.clean_blocks, 3u);
  EXPECT_EQ(Launches(many, few).at(0).rows.clean_blocks, 3u);
  EXPECT_EQ(Launches(many, kNothing).at(0).rows.clean_blocks, 5u);
  EXPECT_EQ(Launches(kNothing, many).at(0).rows.clean, &clean);
  EXPECT_EQ(Launches(kNothing, many).at(0).rows.clean_blocks, 5u);
  few.transposes = true;
  EXPECT_EQ(Launches(few, many).at(0).transpose.clean_blocks, 3u);
  EXPECT_EQ(Launches(few, many).at(1).rows.clean_blocks, 5u);
}

TEST(RepackLaunches, OfAnyMatrixHaveAGridThatCudaTakes) {
  const RepackArguments rows = PackedMatrix(1 << 20, 1 << 20);
  const RepackArguments columns = PackedMatrix(1 << 24, 1 << 24, true);
  for (const RepackLaunch& launch : Launches(rows, columns)) {
    EXPECT_GT(launch.ctas, 0u);
    EXPECT_LT(launch.ctas, 1u << 31);
  }
}

TEST(RepackLaunches, AreNoneWithoutElements) {
  for (const bool transposes : {false, true}) {
    RepackArguments no_batch = PackedMatrix(100, 70, transposes);
    no_batch.batches = 0;
    EXPECT_TRUE(Launches(kNothing, no_batch).empty());
    RepackArguments unused = PackedMatrix(100, 70, transposes);
    unused.element_bytes = 0;
    EXPECT_TRUE(Launches(unused, kNothing).empty());
    EXPECT_TRUE(Launches(PackedMatrix(0, 70, transposes), kNothing).empty());
    EXPECT_TRUE(Launches(PackedMatrix(70, 0, transposes), kNothing).empty());
  }
}

TEST(RepackLaunch, HasTheParametersOfItsKernel) {
  const RepackLaunches launches(PackedMatrix(8, 8), PackedMatrix(8, 8, true));
  const RepackLaunch* transpose = launches.begin();
  EXPECT_EQ(transpose->parameters(), &transpose->transpose);
  EXPECT_EQ(transpose->parameter_bytes(), sizeof(RepackArguments));
  const RepackLaunch* rows = transpose + 1;
  EXPECT_EQ(rows->parameters(), &rows->rows);
  EXPECT_EQ(rows->parameter_bytes(), sizeof(RowCopies));
}

}  // namespace
}  // namespace tiletune
